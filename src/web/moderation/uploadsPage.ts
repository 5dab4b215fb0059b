import type { ModeratorAuthority } from "../../../schemas/platform/security/moderator.ts"
import type { StuckUpload } from "../../../schemas/publishing/uploads/rpc.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { reasonForm, type RefusedReason, roomPage, UPLOADS } from "./parts.ts"
import { accountPath } from "./reportParts.ts"
import { minute } from "./words.ts"

interface UploadsView {
  readonly moderator: ModeratorAuthority
  /** Those that are held, or unfinished for an hour. */
  readonly waiting: ReadonlyArray<StuckUpload>
  /** Those that screening refused last. */
  readonly refusedByScreening: ReadonlyArray<StuckUpload>
  readonly told: Html | null
  /** The upload whose form was refused. */
  readonly refused: { readonly id: string; readonly reason: RefusedReason } | null
}

const kinds: Readonly<Record<StuckUpload["targetKind"], string>> = {
  inline: "Picture in a post",
  og: "Card of a post",
  avatar: "Picture of a profile",
  header: "Header of a profile",
  attachment: "ZIP of a post"
}

const stateOf = ({ held, state }: StuckUpload): string => (held ? `${state}, held` : state)

const whyOf = ({ finding, lastError }: StuckUpload): Html | false =>
  (finding !== null || lastError !== null) &&
  html`<bdi>${[lastError, finding].filter((it) => it !== null).join(": ")}</bdi>`

const buttonsOf = ({ held, state }: StuckUpload) => [
  held ? { value: "release", name: "Release" } : { value: "hold", name: "Hold" },
  ...(state === "cancelled" || state === "receiving" ? [] : [{ value: "rescreen", name: "Screen again" }])
]

const form = (upload: StuckUpload, { moderator, refused }: UploadsView): Html => {
  if (upload.ownerId === moderator.ownerId)
    return html`<p class="note">This is yours. Another moderator or the operator has to decide.</p>`
  const wrong = refused?.id === upload.operationId ? refused.reason : null
  const summary = html`<summary>
    Decide<span class="sr">
      about the upload by @${upload.ownerHandle} of ${upload.createdAt.slice(0, 16)}</span
    >
  </summary>`
  const fields = reasonForm({
    action: UPLOADS,
    id: `reason-${upload.operationId}`,
    fields: { upload: upload.operationId, seen: upload.dueAt },
    buttons: buttonsOf(upload),
    refused: wrong
  })
  return wrong === null
    ? html`<details>${summary}${fields}</details>`
    : html`<details open>${summary}${fields}</details>`
}

const item = (upload: StuckUpload, view: UploadsView): Html =>
  html`<li>
    <span
      >${kinds[upload.targetKind]} by
      <a href="${accountPath(upload.ownerId)}"><bdi>@${upload.ownerHandle}</bdi></a></span
    >
    <span class="size"
      >${stateOf(upload)}, ${minute(upload.decidedAt ?? upload.createdAt)} ${whyOf(upload)}
      ${upload.publicUrl !== null && html`<a href="${upload.publicUrl}" rel="noreferrer">Look at it</a>`}</span
    >
    ${form(upload, view)}
  </li>`

const list = (
  id: string,
  name: string,
  uploads: ReadonlyArray<StuckUpload>,
  none: string,
  view: UploadsView
): Html =>
  html`<section class="files" aria-labelledby="${id}">
    <h2 class="label" id="${id}">${name}</h2>
    ${
      uploads.length === 0
        ? html`<p>${none}</p>`
        : html`<ul>
            ${uploads.map((upload) => item(upload, view))}
          </ul>`
    }
  </section>`

/** Returns the page with the uploads that need a look. */
export const uploadsPage = (view: UploadsView): Page =>
  roomPage({
    title: "Uploads",
    section: UPLOADS,
    told: view.told,
    content: html`${list("waiting", "Held, or unfinished for an hour", view.waiting, "Nothing is held or late.", view)}${list(
        "refused",
        "Refused by screening, newest first",
        view.refusedByScreening,
        "Screening hasn't refused anything.",
        view
      )}
      <p class="note">
        A held image is hidden from all readers, but its files are kept. An image can only be screened again
        while we have its files.
      </p>`
  })
