import { forms as accountForms } from "../account/forms.ts"
import { forms as commentForms } from "../comments/forms.ts"
import { forms as fileForms } from "../files/forms.ts"
import { forms as followingForms } from "../following/forms.ts"
import { forms as moderationForms } from "../moderation/forms.ts"
import { forms as notificationForms } from "../notifications/forms.ts"
import { forms as pictureForms } from "../pictures/forms.ts"
import { forms as profileForms } from "../profile/forms.ts"
import type { DeskForm } from "./DeskForm.ts"
import { forms as deskForms } from "./forms.ts"

/** The forms of all rooms of the desk. */
export const forms: ReadonlyArray<DeskForm> = [
  ...deskForms,
  ...accountForms,
  ...commentForms,
  ...fileForms,
  ...followingForms,
  ...moderationForms,
  ...notificationForms,
  ...pictureForms,
  ...profileForms
]
