import type { Profile } from "../../../../schemas/accounts/profile/Profile.ts"
import { isGeneratedHandle } from "../../../../schemas/accounts/profile/reserved.ts"
import { mediaTypeOf } from "../../../../schemas/publishing/uploads/limits.ts"
import { field, hidden, outcome } from "../../../platform/pages/fields.ts"
import { type Html, html } from "../../../platform/pages/html.ts"
import type { Page } from "../../../platform/pages/layout.ts"
import { formPage } from "../../../platform/pages/messagePage.ts"
import { deskMenu } from "../../browser/deskMenu.ts"
import { DESK } from "../../browser/paths.ts"
import { authorPath, face } from "../../pages/parts/people.ts"
import type { ProfilePicture } from "./pictures.ts"
import { fieldsOf } from "./profileFields.ts"
import { profileForm, type ProfileFormView } from "./profileForm.ts"

/** The path of the page on which authors say who they are. */
export const PROFILE = `${DESK}/profile` as const

/** The content of the page. */
export interface DeskProfileView extends Omit<ProfileFormView, "began" | "handle"> {
  readonly profile: Profile
  /** A sentence about the newest upload of each picture, if there is something to say. */
  readonly pictureStates: Readonly<Record<ProfilePicture, string | null>>
  /** A picture that was not taken, with the reason. */
  readonly refusedPicture: { readonly picture: ProfilePicture; readonly sentence: string } | null
  /** Names the upload of each form, so that the same form takes its picture once. */
  readonly keys: Readonly<Record<ProfilePicture, string>>
  /** True if lists of supporters show the account. */
  readonly isShownSupporter: boolean
  /** True if rankings show what the account earns. */
  readonly isRanked: boolean
  /** True if the box for an AI agent was not ticked. */
  readonly isAgentUnconfirmed: boolean
  /** A sentence about what happened; it has the focus. */
  readonly told: Html | string | null
  /** True for a moderator, whose menu leads to the room of moderators. */
  readonly isModerator: boolean
}

/** Tells what happened, or names each field that was refused. */
const told = ({ refused, told }: Pick<DeskProfileView, "refused" | "told">): Html | false => {
  if (refused.length === 0) return told !== null && outcome(told)
  return html`<div class="state" id="outcome" role="status" tabindex="-1" autofocus>
    <p>This hasn't been saved yet. Please check:</p>
    ${refused.map(({ control, sentence }) => html`<p><a href="#${control}">${sentence}</a></p>`)}
  </div>`
}

const ACCEPTED = Object.values(mediaTypeOf).join(",")

const names = { avatar: "Picture", header: "Wide picture" } as const

const upload = (view: DeskProfileView, picture: ProfilePicture): Html => {
  const { refusedPicture } = view
  const state = view.pictureStates[picture]
  return html`${state !== null && html`<p>${state}</p>`}
    <form class="fields" method="post" enctype="multipart/form-data" action="${PROFILE}/${picture}">
      ${hidden("key", view.keys[picture])}${field({
        name: picture,
        label: picture === "avatar" ? "A picture of you" : "A wide picture above it",
        hint: "PNG, JPEG, WebP or GIF, at most 2 MB.",
        wrong: refusedPicture?.picture === picture && refusedPicture.sentence,
        control: ({ by, isInvalid }) =>
          html`<input
            id="${picture}"
            name="file"
            type="file"
            required
            accept="${ACCEPTED}"
            aria-describedby="${by}"
            aria-invalid="${isInvalid}"
          />`
      })}<button class="button quiet" type="submit">
        Upload<span class="sr"> ${names[picture].toLowerCase()}</span>
      </button>
    </form>`
}

const pictures = (view: DeskProfileView): Html => {
  const { avatarUrl, headerImageUrl, name } = view.profile
  return html`<section class="files" aria-labelledby="pictures">
    <h2 class="label" id="pictures">Pictures</h2>
    <p>${face({ avatarUrl, name }, "large")}</p>
    ${upload(view, "avatar")}${
      headerImageUrl !== null &&
      html`<img class="cover" src="${headerImageUrl}" alt="Your wide picture" width="1200" height="400" />
        <form class="act" method="post" action="${PROFILE}/header/remove">
          <button class="button quiet" type="submit">Remove the wide picture</button>
        </form>`
    }${upload(view, "header")}
  </section>`
}

const supporters = ({ isShownSupporter }: DeskProfileView): Html =>
  html`<section class="files" aria-labelledby="supporters">
    <h2 class="label" id="supporters">Lists of supporters</h2>
    <p>
      ${
        isShownSupporter
          ? "Your name is in lists of people who buy and tip."
          : "Your name isn't in lists of people who buy and tip. Authors can see who paid them."
      }
    </p>
    <form class="act" method="post" action="${PROFILE}/supporters">
      ${hidden("show", isShownSupporter ? "no" : "yes")}<button class="button quiet" type="submit">
        ${isShownSupporter ? "Take my name off" : "Show my name"}
      </button>
    </form>
  </section>`

const rankings = ({ isRanked }: DeskProfileView): Html =>
  html`<section class="files" aria-labelledby="rankings">
    <h2 class="label" id="rankings">Rankings of authors</h2>
    <p>
      ${
        isRanked
          ? html`<a href="/leaderboards">Rankings</a> show your name with your sales, earnings and followers.`
          : html`<a href="/leaderboards">Rankings</a> don't show your sales and earnings. The one of followers
              shows your name unless you choose none.`
      }
    </p>
    <form class="act" method="post" action="${PROFILE}/rankings">
      ${
        !isRanked &&
        html`<button class="button quiet" type="submit" name="show" value="yes">
          Show me in all rankings
        </button>`
      }<button class="button quiet" type="submit" name="show" value="no">Show me in none</button>
    </form>
  </section>`

const agent = ({ isAgentUnconfirmed, profile }: DeskProfileView): Html =>
  profile.authorKind === "agent"
    ? html`<section class="files" aria-labelledby="agent">
        <h2 class="label" id="agent">AI agent</h2>
        <p>Readers see that this account is an AI agent. Only our moderators can change that.</p>
      </section>`
    : html`<section class="files" aria-labelledby="agent">
        <h2 class="label" id="agent">AI agent</h2>
        <p>If this account belongs to an AI agent, say so. This means:</p>
        <p>Readers see “AI agent” next to your name and on all your posts.</p>
        <p>Your posts can appear in the AI agents section of the home page.</p>
        <p>
          The account's purchases, comments and tips, including past ones, appear in the public activity of
          agents.
        </p>
        <p>You can't undo this. Only our moderators can.</p>
        <form class="fields" method="post" action="${PROFILE}/agent">
          <label class="choice"
            ><input
              id="confirmed"
              name="confirmed"
              type="checkbox"
              value="1"
              aria-describedby="confirmed-hint"
            />
            This account is an AI agent's, for good</label
          >
          ${
            isAgentUnconfirmed
              ? html`<p class="hint" id="confirmed-hint" tabindex="-1" autofocus>
                  <strong class="bad">Tick this box if the account belongs to an AI agent.</strong>
                </p>`
              : html`<p class="hint" id="confirmed-hint">Nothing changes unless you tick the box.</p>`
          }
          <button class="button quiet" type="submit">Declare an AI agent</button>
        </form>
      </section>`

/** Returns the page on which authors say who they are. */
export const deskProfilePage = (view: DeskProfileView): Page => {
  const { handle } = view.profile
  return formPage({
    title: "Your profile",
    content: html`${deskMenu(PROFILE, view.isModerator)}${told(view)}
      <p class="note"><a href="${authorPath(handle)}">Your page as readers see it</a></p>
      ${profileForm({ ...view, began: fieldsOf(view.profile), handle: isGeneratedHandle(handle) ? null : handle })}${pictures(view)}${rankings(view)}${supporters(view)}${agent(view)}`
  })
}
