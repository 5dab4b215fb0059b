import { attribute, type HtmlElement } from "./htmlTree.ts"

/** Endings of pictures that a link may show at full size. */
const PICTURE_PATH = /\.(?:jpe?g|png|gif|webp|avif)$/i

/** Returns true for an address that leads to a picture by its ending. */
export const isPictureUrl = (url: string): boolean => PICTURE_PATH.test(url.replace(/[?#].*$/su, ""))

const WRAPPED =
  /^https?:\/\/(?:substackcdn|cdn\.substack)\.com\/image\/fetch\/(?:[^/]{0,200}\/){0,3}(https?(?::|%3A).+)$/iu
const PHOTON = /^https?:\/\/i[0-3]\.wp\.com\/([^/?#]+\.[^/?#]+\/[^?#]*)/iu
const SIZED = /^([^?#]*\/wp-content\/uploads\/[^?#]*?)-\d{2,4}x\d{2,4}(\.[a-z]{3,4})(?:[?#].*)?$/isu

/** A smaller size that Ghost makes of a picture. */
const GHOST_SIZE = /(\/content\/images)\/size\/w\d{1,5}(?:h\d{1,5})?(?:\/format\/\w{1,10})?\//i

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the address of the picture itself: without the services that resize it, and without a size of WordPress or Ghost. */
export const originalPicture = (url: string): string => {
  if (url.length > 4096) return url
  const wrapped = WRAPPED.exec(url)?.[1]
  if (wrapped !== undefined) return decoded(wrapped)
  const photon = PHOTON.exec(url)?.[1]
  const direct = photon === undefined ? url.replace(GHOST_SIZE, "$1/") : `https://${photon}`
  const sized = SIZED.exec(direct)
  return sized === null ? direct : `${sized[1]}${sized[2]}`
}

/** Returns the largest picture of a `srcset`. Addresses may have commas. */
const largestOf = (srcset: string): string | undefined => {
  let largest: string | undefined
  let most = -1
  for (const candidate of srcset.slice(0, 20_000).split(/,\s+/)) {
    const [url = "", size = "1x"] = candidate.trim().split(/\s+/)
    const width = Number.parseFloat(size)
    if (url !== "" && width > most) [largest, most] = [url.replace(/,$/, ""), width]
  }
  return largest
}

const isData = (url: string) => /^data:/i.test(url)

/** Attributes in which pages keep the picture that a script shows later. */
const LATER = ["data-src", "data-lazy-src", "data-original", "data-orig-src"]

/** Returns the address of the picture that an element shows, or an empty text. */
export const pictureUrlOf = (element: HtmlElement): string => {
  const original = attribute(element, "data-orig-file") || attribute(element, "data-full-url")
  if (original !== "") return originalPicture(original)
  const srcset = attribute(element, "srcset") || attribute(element, "data-srcset")
  const largest = srcset === "" ? undefined : largestOf(srcset)
  const later = LATER.map((name) => attribute(element, name)).find((url) => url !== "")
  const src = attribute(element, "src")
  return originalPicture(largest ?? later ?? (isData(src) ? src : src.replaceAll(/\s/gu, "%20")))
}

const COUNTERS =
  /^https?:\/\/(?:pixel\.wp\.com\/|stats\.wordpress\.com\/|medium\.com\/_\/stat\b|www\.google-analytics\.com\/|www\.facebook\.com\/tr\b)/i
const TINY = /(?:^|;)\s*(?:width|height)\s*:\s*[01](?:px)?\s*(?:;|!|$)/i
const isTiny = (value: string) => /^[01](?:px)?$/i.test(value)

/** Returns true for a picture that only counts readers: with a width or height of 0 or 1. */
export const isTracker = (element: HtmlElement): boolean =>
  isTiny(attribute(element, "width")) ||
  isTiny(attribute(element, "height")) ||
  TINY.test(attribute(element, "style").slice(0, 2000)) ||
  COUNTERS.test(attribute(element, "src"))
