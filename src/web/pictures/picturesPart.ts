import type { UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { INLINE_IMAGE_BYTES_MAX } from "../../../schemas/publishing/uploads/limits.ts"
import { field } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"

/** A picture of a post, as its author sees it. */
export interface PictureView {
  readonly id: UploadOperationId
  /** Null while there is nothing to show. */
  readonly url: string | null
  /** Its description in the text; null for a picture that is not in the text. */
  readonly alt: string | null
  /** The state of its screening. */
  readonly words: string
}

/** The fields by which an author adds a picture, as they stand in their controls. */
export interface PictureFields {
  readonly alt: string
  /** The place of the picture: a section, or the preview card. */
  readonly place: string
}

export interface PicturesView {
  /** The id of the form that the controls belong to. */
  readonly form: string
  readonly pictures: ReadonlyArray<PictureView>
  readonly picture: PictureFields
  /** The sections that the form can rewrite. */
  readonly sections: ReadonlyArray<"free" | "paid">
  /** The reason why a picture was refused. */
  readonly wrong: string | undefined
}

const PLACES = {
  free: "In the part that everyone reads",
  paid: "In the part that you sell",
  card: "On the preview card"
} as const

const MEBIBYTE = 1024 * 1024

const place = ({ form, picture, sections }: PicturesView): Html => {
  const chosen = picture.place in PLACES ? picture.place : (sections[0] ?? "card")
  return html`<div class="field" role="radiogroup" aria-labelledby="place">
    <strong id="place">Where does it go?</strong>
    <p class="hint">All pictures are public, even those in the part that you sell.</p>
    ${[...sections, "card" as const].map((value) => {
      const input =
        value === chosen
          ? html`<input form="${form}" name="place" type="radio" value="${value}" checked />`
          : html`<input form="${form}" name="place" type="radio" value="${value}" />`
      return html`<label class="choice">${input} ${PLACES[value]}</label>`
    })}
  </div>`
}

/** A picture of the strip. The script of the page makes it a button that inserts it, and adds the field of its description. */
const item = (form: string, { alt, id, url, words }: PictureView): Html => {
  const name = alt === null ? "Not in the text." : alt === "" ? "Without a description." : alt
  return html`<li data-picture="${id}" data-alt="${alt ?? ""}">
    ${url !== null && html`<img src="${url}" alt="" width="96" loading="lazy" />`}
    <p class="hint">${words}</p>
    <details>
      <summary aria-label="More about this picture: ${name}">⋯</summary>
      <p><bdi>${name}</bdi></p>
      <button class="button quiet" type="submit" form="${form}" name="remove" value="${id}">
        Remove<span class="sr"> this picture: ${name}</span>
      </button>
    </details>
  </li>`
}

/**
 * The pictures of a post, the controls that add one, and the way to its files. They stand after the form that they belong to, so that browsers
 * send the file last.
 */
export const picturesPart = (view: PicturesView): Html => {
  const { form, picture, pictures, wrong } = view
  const adding = html`<summary>Add a picture</summary>
    <div class="fields writing">
      ${field({
        name: "alt",
        label: "Describe the picture for readers who can't see it",
        hint: "Leave it empty if the picture is only decorative.",
        control: ({ by }) =>
          html`<input
            form="${form}"
            id="alt"
            name="alt"
            type="text"
            maxlength="500"
            dir="auto"
            autocomplete="off"
            value="${picture.alt}"
            aria-describedby="${by}"
          />`
      })}${place(view)}${field({
        name: "picture",
        label: "Picture file",
        hint: `A PNG, JPEG, WebP or GIF of at most ${INLINE_IMAGE_BYTES_MAX / MEBIBYTE} MB, or 2 MB for the preview card.`,
        wrong,
        isFocused: false,
        control: ({ by, isInvalid }) =>
          html`<input
            form="${form}"
            id="picture"
            name="picture"
            type="file"
            accept="image/png,image/jpeg,image/webp,image/gif"
            aria-describedby="${by}"
            aria-invalid="${isInvalid}"
          />`
      })}
      <button class="button quiet" type="submit" form="${form}" formenctype="multipart/form-data">
        Insert
      </button>
    </div>`
  return html`<section class="pictures" aria-labelledby="pictures">
      <h2 class="label" id="pictures">Pictures</h2>
      <ul id="picture-list">
        ${pictures.map((it) => item(form, it))}
      </ul>
      ${wrong === undefined && picture.alt === "" ? html`<details>${adding}</details>` : html`<details open>${adding}</details>`}
    </section>
    <p>
      <button class="button quiet" type="submit" form="${form}" name="next" value="files">
        Files for buyers
      </button>
    </p>`
}
