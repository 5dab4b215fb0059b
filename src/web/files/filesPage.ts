import type { PostId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import {
  ARCHIVE_BYTES_MAX,
  POST_ATTACHMENTS_BYTES_MAX,
  POST_ATTACHMENTS_MAX
} from "../../../schemas/publishing/uploads/limits.ts"
import { field, hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { sizeOf, titleText } from "../pages/parts/values.ts"
import { filesPath, writePath } from "../write/writePage.ts"

/** A ZIP that an author attached to a post. */
export interface FileView {
  readonly id: UploadOperationId
  /** Null for a file that was refused. */
  readonly file: { readonly fileName: string; readonly byteSize: number } | null
  /** The state of its screening. */
  readonly words: string
}

export interface FilesView {
  readonly id: PostId
  readonly title: string
  readonly files: ReadonlyArray<FileView>
  /** Names the file that this form sends, so that it is attached only once. */
  readonly key: string
  /** False for a post without a part that is sold. */
  readonly isSold: boolean
  /** The reason why a file was refused. */
  readonly wrong: string | undefined
  /** A sentence about what happened; it has the focus. */
  readonly told: string | null
}

const MEBIBYTE = 1024 * 1024

const item = (id: PostId, { file, id: operation, words }: FileView): Html => {
  const name = file === null ? "A file" : file.fileName
  return html`<li>
    <span>
      <bdi>${name}</bdi>
      <span class="size">${file !== null && html`${sizeOf(file.byteSize)}. `}${words}</span>
    </span>
    <form method="post" action="${filesPath(id)}/remove">
      ${hidden("file", operation)}<button class="button quiet" type="submit">
        Remove<span class="sr"> ${name}</span>
      </button>
    </form>
  </li>`
}

const attach = ({ id, isSold, key, wrong }: FilesView): Html =>
  isSold
    ? html`<form class="fields" method="post" action="${filesPath(id)}" enctype="multipart/form-data">
        ${hidden("key", key)}${field({
          name: "zip",
          label: "ZIP file",
          hint: `At most ${ARCHIVE_BYTES_MAX / MEBIBYTE} MB. A post can have ${POST_ATTACHMENTS_MAX}, with ${POST_ATTACHMENTS_BYTES_MAX / MEBIBYTE} MB in total.`,
          wrong,
          control: ({ by, isInvalid }) =>
            html`<input
              id="zip"
              name="zip"
              type="file"
              accept=".zip,application/zip"
              aria-describedby="${by}"
              aria-invalid="${isInvalid}"
            />`
        })}<button class="button" type="submit">Attach</button>
      </form>`
    : html`<p>
        Files come with the part that you sell.
        <a href="${writePath(id)}#paid">Write that part</a>, set a price and save it. Then attach files here.
      </p>`

/** Returns the page on which an author attaches files for the buyers of a post. */
export const filesPage = (view: FilesView): Page => {
  const { files, id, title, told } = view
  return formPage({
    title: "Files for buyers",
    kicker: "Files for buyers",
    heading: html`<bdi>${titleText(title)}</bdi>`,
    content: html`${told !== null && outcome(told)}
      <p class="lede">Buyers download these files with the text. No one else gets them.</p>
      ${
        files.length > 0 &&
        html`<section class="files" aria-labelledby="files">
          <h2 class="label" id="files">Files</h2>
          <ul>
            ${files.map((it) => item(id, it))}
          </ul>
        </section>`
      }${attach(view)}
      <p class="note"><a href="${writePath(id)}">Back to the text</a></p>`
  })
}
