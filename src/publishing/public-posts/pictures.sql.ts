import { VARIANT_WIDTHS } from "../../../schemas/publishing/uploads/limits.ts"
import { variantPath } from "../uploads/operation/objectKeys.ts"

/** Bytes of an image up to which a card shows the image itself, if it is still and has no smaller copy. */
const SMALL_BYTES_MAX = 32 * 1024

/** Pixels of the copy that cards show, on screens of up to three pixels for one. */
const [CARD_WIDTH] = VARIANT_WIDTHS

/** The picture of a card; null for a Post without one. */
export interface PictureRow {
  /** The address of the image. */
  readonly picture_url: string | null
  readonly picture_is_scaled: boolean | null
}

export const pictureColumns = "picture.url as picture_url, picture.is_scaled as picture_is_scaled"

/**
 * Joins the picture of a Post `p`, as one look at an index: its `ogImageEffective`, if that is one of the images that were
 * uploaded for it, has a small copy and is shown. Neither of its columns depends on the paid section.
 */
export const joinPicture = `left join lateral (
  select u.public_url as url, u.variants -> '${CARD_WIDTH}' is not null as is_scaled from upload_operations u
  where u.owner_id = p.owner_id and u.target_id = p.id and u.public_url = coalesce(p.og_image, p.first_image) and u.shown
    and (u.variants -> '${CARD_WIDTH}' is not null or (u.frames = 1 and u.public_size <= ${SMALL_BYTES_MAX}))
  limit 1) picture on true`

/** Returns the address of the picture of a card. */
export const pictureOf = ({ picture_is_scaled, picture_url }: PictureRow): string | null =>
  picture_url !== null && picture_is_scaled === true ? variantPath(picture_url, CARD_WIDTH) : picture_url
