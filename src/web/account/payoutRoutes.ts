import { Effect, Layer } from "effect"
import { PayoutAddressRequest } from "../../../schemas/accounts/payout-address/PayoutAddress.ts"
import { PayoutAddresses } from "../../accounts/payout-address/PayoutAddresses.ts"
import { checked } from "../../platform/http/checked.ts"
import { unreadable } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { makeBrowser } from "../browser/http.ts"
import { ACCOUNT } from "../browser/paths.ts"
import { donePath, makeAccountPages } from "./accountPages.ts"

const check = checked(PayoutAddressRequest)

const WRONG = "Enter a Nano address that can receive money. Copy it from your wallet again."
const CHANGED =
  "Your payout address was changed elsewhere. The new one stands above. Save again to replace it."

/** Serves the form of the account that saves the payout address. A refusal stands beside its field. */
export const AccountPayoutRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const payouts = yield* PayoutAddresses
    const shown = yield* makeAccountPages
    const { asOwner } = yield* makeBrowser
    const { answering, readForm, seeOther } = yield* makePrivatePages

    const save = Effect.gen(function* () {
      const form = yield* readForm({ revision: LENGTHS.word, address: LENGTHS.line })
      const revision = form.get("revision") ?? ""
      if (!/^\d{1,10}$/.test(revision)) return yield* unreadable(form)
      const typed = (form.get("address") ?? "").trim()
      return yield* asOwner(ACCOUNT, (owner) => {
        const refused = (sentence: string, status: number) =>
          shown(owner, { refused: { control: "address", sentence, typed } }, status)
        return check({ payoutAddress: typed, revision: Number(revision) }).pipe(
          Effect.flatMap((request) => payouts.save(owner, request)),
          Effect.as(seeOther(donePath("payout"))),
          Effect.catchTags({
            Validation: () => refused(WRONG, 422),
            RevisionConflict: () => refused(CHANGED, 409)
          })
        )
      })
    })

    return addPrivatePage("POST", "/desk/account/payout", answering(save))
  })
)
