import { Option, Result } from "effect"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import type { CategoryId } from "../../../schemas/platform/Ids.ts"
import { agreedPrice, parsePriceXno, priceMessage } from "../../../schemas/platform/Nano.ts"
import type { CreationMethod } from "../../../schemas/publishing/posts/creation.ts"
import type { PostPatch } from "../../../schemas/publishing/posts/PostDraft.ts"
import type { SectionReading, UnsupportedMarkdown } from "../../platform/ports/SectionReader.ts"

/** What an author writes of a Post, in the names of its columns. */
export interface PostContent {
  readonly title: string
  readonly description: string
  readonly free_content_markdown: string | null
  readonly paid_content_markdown: string | null
  readonly enable_paywall: boolean
  /** Raw units; null when there is no effective paywall. */
  readonly price_raw: string | null
  readonly primary_category_id: CategoryId | null
  readonly secondary_category_id: CategoryId | null
  readonly canonical_url: string | null
  readonly language: string
  readonly comments_enabled: boolean
  readonly og_title: string | null
  readonly og_description: string | null
  readonly og_image: string | null
  /** Of the free section, as is the excerpt, for what shows a Post without opening it. */
  readonly first_image: string | null
  readonly excerpt: string
  readonly creation_method: CreationMethod | null
  readonly creation_details: string | null
  readonly creation_attested: boolean
}

/** What a Post is before its author says anything. */
export const emptyContent: PostContent = {
  title: "",
  description: "",
  free_content_markdown: null,
  paid_content_markdown: null,
  enable_paywall: false,
  price_raw: null,
  primary_category_id: null,
  secondary_category_id: null,
  canonical_url: null,
  language: "en",
  comments_enabled: true,
  og_title: null,
  og_description: null,
  og_image: null,
  first_image: null,
  excerpt: "",
  creation_method: null,
  creation_details: null,
  creation_attested: false
}

const DIGITS = /^(0|[1-9][0-9]{0,79})$/

/** Places of one section that are named, at most: an answer must not be larger than what it is about. */
const PLACES_MAX = 100

/** One error for each place, in the order of the text (specification 4.3.5). */
const unsupportedErrors = (
  field: string,
  unsupported: ReadonlyArray<UnsupportedMarkdown>
): ReadonlyArray<FieldError> => {
  const more = unsupported.length - PLACES_MAX
  return unsupported.slice(0, PLACES_MAX).map(({ column, feature, line }, index) => ({
    field,
    code: "unsupported_markdown",
    message: `Not supported: ${feature} at line ${line}, column ${column}${
      more > 0 && index === PLACES_MAX - 1 ? `; and ${more} more places` : ""
    }`,
    feature,
    line,
    column
  }))
}

const tooComplexError = (field: string): FieldError => ({
  field,
  code: "too_complex",
  message: "Brackets, lists or quotations nest too deeply to be read"
})

const markdownErrors = (field: string, reading: SectionReading | undefined) => {
  if (reading === undefined) return []
  const { isTooComplex, unsupported } = reading
  return [...(isTooComplex ? [tooComplexError(field)] : []), ...unsupportedErrors(field, unsupported)]
}

/** What was read of the sections that a patch writes. */
export interface Readings {
  readonly free: SectionReading | undefined
  readonly paid: SectionReading | undefined
}

/** A section of white space alone is empty, and an empty section is null (specification 2.7). */
const sectionOf = (source: string | null | undefined, current: string | null) => {
  if (source === undefined) return current
  return source === null || source.trim() === "" ? null : source
}

const textOf = (text: string | null | undefined, current: string | null) =>
  text === undefined ? current : text === null || text === "" ? null : text

interface Paywall {
  readonly enable_paywall: boolean
  readonly price_raw: string | null
}

/** The paywall is effective only over paid content, and only then has a price (specification 4.3.1, 4.3.2). */
const paywallOf = (
  current: PostContent,
  patch: PostPatch,
  paid: string | null
): Result.Result<Paywall, FieldError> => {
  const enabled = (patch.enablePaywall ?? current.enable_paywall) && paid !== null
  if (!enabled) return Result.succeed({ enable_paywall: false, price_raw: null })
  const { priceRaw, priceXno } = patch
  const isNamed = typeof priceRaw === "string" || typeof priceXno === "string"
  if (!isNamed) {
    const isCleared = priceRaw === null || priceXno === null
    return Result.succeed({ enable_paywall: true, price_raw: isCleared ? null : current.price_raw })
  }
  if (typeof priceRaw === "string" && !DIGITS.test(priceRaw)) {
    return Result.fail({
      field: "priceRaw",
      code: "invalid",
      message: "priceRaw is a whole number of raw units"
    })
  }
  const agreed = agreedPrice({
    priceXno: priceXno ?? undefined,
    priceRaw: typeof priceRaw === "string" ? BigInt(priceRaw) : undefined
  })
  if (Result.isFailure(agreed)) {
    const isXno = typeof priceXno === "string" && Result.isFailure(parsePriceXno(priceXno))
    const field = isXno || typeof priceRaw !== "string" ? "priceXno" : "priceRaw"
    const code = agreed.failure.reason === "too_many_decimals" ? "out_of_range" : agreed.failure.reason
    return Result.fail({ field, code, message: priceMessage(agreed.failure) })
  }
  return Result.succeed({ enable_paywall: true, price_raw: Option.getOrThrow(agreed.success).toString() })
}

/** What the free section shows of itself: of nothing when it is cleared, and as before when it is not named. */
const shownOf = (current: PostContent, patch: PostPatch, reading: SectionReading | undefined) => {
  if (patch.freeContentMarkdown === undefined) {
    return { first_image: current.first_image, excerpt: current.excerpt }
  }
  return { first_image: reading?.firstImage ?? null, excerpt: reading?.excerpt ?? "" }
}

/** What a Post becomes by a patch and what was read of it, or every member of the patch that it cannot have. */
export const patched = (
  current: PostContent,
  patch: PostPatch,
  readings: Readings
): Result.Result<PostContent, ReadonlyArray<FieldError>> => {
  const errors: Array<FieldError> = []
  const free = sectionOf(patch.freeContentMarkdown, current.free_content_markdown)
  const paid = sectionOf(patch.paidContentMarkdown, current.paid_content_markdown)

  errors.push(...markdownErrors("freeContentMarkdown", readings.free))
  errors.push(...markdownErrors("paidContentMarkdown", readings.paid))

  const paywall = paywallOf(current, patch, paid)
  if (Result.isFailure(paywall)) errors.push(paywall.failure)
  if (errors.length > 0 || Result.isFailure(paywall)) return Result.fail(errors)

  return Result.succeed({
    ...paywall.success,
    title: patch.title ?? current.title,
    description: patch.description ?? current.description,
    free_content_markdown: free,
    paid_content_markdown: paid,
    primary_category_id:
      patch.primaryCategoryId === undefined ? current.primary_category_id : patch.primaryCategoryId,
    secondary_category_id:
      patch.secondaryCategoryId === undefined ? current.secondary_category_id : patch.secondaryCategoryId,
    canonical_url: textOf(patch.canonicalUrl, current.canonical_url),
    language: patch.language ?? current.language,
    comments_enabled: patch.commentsEnabled ?? current.comments_enabled,
    og_title: textOf(patch.ogTitle, current.og_title),
    og_description: textOf(patch.ogDescription, current.og_description),
    og_image: textOf(patch.ogImage, current.og_image),
    ...shownOf(current, patch, readings.free),
    creation_method: patch.creationMethod === undefined ? current.creation_method : patch.creationMethod,
    creation_details: textOf(patch.creationDetails, current.creation_details),
    creation_attested: patch.creationAttested ?? current.creation_attested
  })
}
