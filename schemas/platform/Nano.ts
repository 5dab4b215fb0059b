import { blake2b } from "@noble/hashes/blake2.js"
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { Option, Result, Schema, SchemaTransformation } from "effect"
import { atMost, described } from "./Text.ts"

/** The raw of one XNO: 10^30. */
export const RAW_PER_XNO = 10n ** 30n

/** Maximum number of decimals of an XNO amount: one raw is `0.`, 29 zeros and `1`. */
export const XNO_DECIMALS = 30

/** The largest amount a Nano block can hold, 2^128 - 1 raw; the whole supply is this much. */
export const MAX_RAW = (1n << 128n) - 1n

// The flag `u` of the patterns below is what brings them into the OpenAPI document.

/** A nonnegative amount of Nano in raw as its digits, without leading zeros. */
export const RawDigits = Schema.String.check(
  Schema.isPattern(/^(0|[1-9][0-9]{0,38})$/u, { expected: "the digits of an amount in raw" })
).annotate({ description: "An exact amount of Nano in raw; 1 XNO is 10^30 raw." })

/**
 * A nonnegative amount of Nano in raw, at most {@link MAX_RAW}: a digit string without leading zeros on the
 * wire, a bigint in memory. Never a number: an amount does not fit one.
 */
export const RawAmount = RawDigits.pipe(
  Schema.decodeTo(
    Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: MAX_RAW })),
    SchemaTransformation.transform({ decode: (digits) => BigInt(digits), encode: (raw) => raw.toString() })
  )
)
export type RawAmount = typeof RawAmount.Type

/** At most nine digits before the point, as 2^128 raw is about 340,282,367 XNO. */
const XNO = /^(0|[1-9][0-9]{0,8})(?:\.([0-9]{1,30}))?$/

/**
 * The raw of a decimal XNO amount, exactly: `0.25` is 25 * 10^28. None for anything but plain digits with at
 * most {@link XNO_DECIMALS} decimals (no sign, exponent, space, group separator, bare point or leading zero),
 * and for more than {@link MAX_RAW}.
 */
export const rawOfXno = (text: string): Option.Option<bigint> => {
  const match = XNO.exec(text)
  if (match === null) return Option.none()
  const raw = BigInt(`${match[1]}${(match[2] ?? "").padEnd(XNO_DECIMALS, "0")}`)
  return raw <= MAX_RAW ? Option.some(raw) : Option.none()
}

/** The shortest decimal XNO text of a nonnegative amount of raw, exactly; the inverse of {@link rawOfXno}. */
export const xnoOfRaw = (raw: bigint): string => {
  const decimals = (raw % RAW_PER_XNO).toString().padStart(XNO_DECIMALS, "0").replace(/0+$/, "")
  const whole = (raw / RAW_PER_XNO).toString()
  return decimals === "" ? whole : `${whole}.${decimals}`
}

/** The 32 bytes of an account's Ed25519-blake2b public key, as 64 lower-case hex digits; read in either case. */
export const NanoPublicKey = Schema.String.check(
  Schema.isPattern(/^[0-9a-fA-F]{64}$/u, { expected: "64 hexadecimal digits" })
).pipe(
  Schema.decodeTo(
    Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u)).pipe(Schema.brand("NanoPublicKey")),
    SchemaTransformation.toLowerCase()
  )
)
export type NanoPublicKey = typeof NanoPublicKey.Type

const ALPHABET = "13456789abcdefghijkmnopqrstuwxyz"

/** 52 digits are four padding bits, which are zero as the first digit is 1 or 3, and the key; 8 are the checksum. */
const ADDRESS = /^(?:nano|xrb)_([13][13456789a-km-uw-z]{51})([13456789a-km-uw-z]{8})$/u

const valueOfBase32 = (digits: string) =>
  [...digits].reduce((value, digit) => (value << 5n) | BigInt(ALPHABET.indexOf(digit)), 0n)

const base32OfValue = (value: bigint, length: number) =>
  Array.from({ length }, (_, place) => {
    const shift = BigInt(5 * (length - 1 - place))
    return ALPHABET[Number((value >> shift) & 31n)]
  }).join("")

const hexOfValue = (value: bigint, bytes: number) => value.toString(16).padStart(bytes * 2, "0")

/** The five bytes of BLAKE2b over the key, last byte first. */
const checksumOf = (publicKeyHex: string) =>
  base32OfValue(BigInt(`0x${bytesToHex(blake2b(hexToBytes(publicKeyHex), { dkLen: 5 }).toReversed())}`), 8)

/** Number of addresses whose keys are cached, because a checksum takes longer than most other steps of a request. */
const KNOWN_MAX = 1_000
const known = new Map<string, string>()

const publicKeyHexOf = (text: string) => {
  const kept = known.get(text)
  if (kept !== undefined) return kept
  const match = ADDRESS.exec(text)
  if (match === null) return undefined
  const hex = hexOfValue(valueOfBase32(match[1] ?? ""), 32)
  if (checksumOf(hex) !== match[2]) return undefined
  if (known.size >= KNOWN_MAX) known.clear()
  known.set(text, hex)
  return hex
}

/**
 * A Nano account address: `nano_` and 60 digits, the last eight a checksum. The legacy prefix `xrb_` is accepted and
 * becomes `nano_`. Upper case is refused, because wallets refuse it. A valid address need not be an account with a
 * usable key; `isUsableKey` checks that.
 */
export const NanoAddress = Schema.String.check(
  Schema.isPattern(ADDRESS, { expected: "a Nano address: nano_ and 60 lower-case characters" })
)
  .annotate({ description: "A Nano account address with a valid checksum." })
  .pipe(
    Schema.decodeTo(
      Schema.String.check(
        Schema.makeFilter((text: string) => text.startsWith("nano_") && publicKeyHexOf(text) !== undefined, {
          message: "Check the Nano address: its checksum does not match"
        })
      ).pipe(Schema.brand("NanoAddress")),
      SchemaTransformation.transform({
        decode: (text) => text.replace(/^xrb_/, "nano_"),
        encode: (address) => address
      })
    )
  )
export type NanoAddress = typeof NanoAddress.Type

/** An address with white space around it, or in a `nano:` URI. */
const PASTED = /^\s*(?:(?:nano|xrb):)?((?:nano|xrb)_[0-9a-z]{60})(?:\?\S*)?\s*$/u

/**
 * A {@link NanoAddress} as people paste it, in at most 1,000 characters. White space around it and the rest of a URI are
 * removed.
 */
export const NanoAddressInput = Schema.String.check(atMost(1_000), described({ pattern: PASTED.source }))
  .annotate({
    description:
      "A Nano account address with a valid checksum. White space around it and the rest of a `nano:` URI are removed."
  })
  .pipe(
    Schema.decodeTo(
      NanoAddress,
      SchemaTransformation.transform({
        decode: (text) => PASTED.exec(text)?.[1] ?? text,
        encode: (address) => address
      })
    )
  )

/** The key that an address spells. */
export const publicKeyOfAddress = (address: NanoAddress): NanoPublicKey =>
  NanoPublicKey.make(publicKeyHexOf(address) ?? "")

/** The canonical `nano_` address of a key; the inverse of {@link publicKeyOfAddress}. */
export const addressOfPublicKey = (publicKey: NanoPublicKey): NanoAddress =>
  NanoAddress.make(`nano_${base32OfValue(BigInt(`0x${publicKey}`), 52)}${checksumOf(publicKey)}`)

/**
 * The text that a wallet signs to prove an account: `noms` is the Nano off-chain message of ORIS-001, `blake2b` the bare
 * BLAKE2b-256 of the text.
 */
export const SignatureFormat = Schema.Literals(["noms", "blake2b"])
export type SignatureFormat = typeof SignatureFormat.Type

/** The 64 bytes of an Ed25519-blake2b signature as 128 hex digits in either case. */
export const NanoSignature = Schema.String.check(
  Schema.isPattern(/^[0-9a-fA-F]{128}$/u, { expected: "a signature of 128 hexadecimal digits" })
).pipe(Schema.brand("NanoSignature"))
export type NanoSignature = typeof NanoSignature.Type

/** The minimum price of a Post, 0.00001 XNO (spec 8). */
export const PRICE_MIN_RAW = 10n ** 25n
/** The maximum price of a Post, 9999 XNO (spec 8). */
export const PRICE_MAX_RAW = 9999n * RAW_PER_XNO
/** Prices are multiples of this, 0.000001 XNO: six decimals (spec 4.3.2). */
export const PRICE_STEP_RAW = 10n ** 24n

/**
 * The reason why a price is refused: it is not an amount, it is two different amounts, or it is not an allowed amount,
 * where `nearestRaw` is the closest allowed one (a half rounds up).
 */
export type PriceRefusal =
  | { readonly reason: "invalid" }
  | { readonly reason: "mismatch" }
  | { readonly reason: "out_of_range"; readonly nearestRaw: bigint }
  | { readonly reason: "too_many_decimals"; readonly nearestRaw: bigint }

const nearestPrice = (raw: bigint) => {
  const stepped = ((raw + PRICE_STEP_RAW / 2n) / PRICE_STEP_RAW) * PRICE_STEP_RAW
  if (stepped < PRICE_MIN_RAW) return PRICE_MIN_RAW
  return stepped > PRICE_MAX_RAW ? PRICE_MAX_RAW : stepped
}

/** A price in raw, if it is one: {@link PRICE_MIN_RAW} to {@link PRICE_MAX_RAW} in steps of {@link PRICE_STEP_RAW}. */
export const checkPriceRaw = (raw: bigint): Result.Result<bigint, PriceRefusal> => {
  const nearestRaw = nearestPrice(raw)
  if (raw < PRICE_MIN_RAW || raw > PRICE_MAX_RAW) return Result.fail({ reason: "out_of_range", nearestRaw })
  return raw === nearestRaw ? Result.succeed(raw) : Result.fail({ reason: "too_many_decimals", nearestRaw })
}

/** Longer than any price. It limits the work that a hostile text can cause. */
const PRICE_TEXT_LENGTH = 128
const DECIMAL = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/

/**
 * A price in XNO, as the raw it is. Any plain decimal is read, so that one with too many digits is refused with
 * the nearest price instead of as nonsense. Zeros at the end of the decimals do not count.
 */
export const parsePriceXno = (text: string): Result.Result<bigint, PriceRefusal> => {
  const match = text.length <= PRICE_TEXT_LENGTH ? DECIMAL.exec(text) : null
  if (match === null) return Result.fail({ reason: "invalid" })
  const decimals = (match[2] ?? "").padEnd(XNO_DECIMALS, "0")
  const raw = BigInt(`${match[1]}${decimals.slice(0, XNO_DECIMALS)}`)
  const checked = checkPriceRaw(raw)
  // A half of a step shows in the seventh decimal, so what is cut off here never changes the nearest price.
  return Result.isSuccess(checked) && /[1-9]/.test(decimals.slice(XNO_DECIMALS))
    ? Result.fail({ reason: raw === PRICE_MAX_RAW ? "out_of_range" : "too_many_decimals", nearestRaw: raw })
    : checked
}

/**
 * The price that a request names: in XNO, in raw, or in both if they are the same (spec 4.3.2). None if it names
 * neither.
 */
export const agreedPrice = (price: {
  readonly priceXno?: string | undefined
  readonly priceRaw?: bigint | undefined
}): Result.Result<Option.Option<bigint>, PriceRefusal> =>
  Result.gen(function* () {
    const xno = price.priceXno === undefined ? undefined : yield* parsePriceXno(price.priceXno)
    const raw = price.priceRaw === undefined ? undefined : yield* checkPriceRaw(price.priceRaw)
    if (xno !== undefined && raw !== undefined && xno !== raw) {
      return yield* Result.fail<PriceRefusal>({ reason: "mismatch" })
    }
    return Option.fromUndefinedOr(xno ?? raw)
  })

/** A refusal in words for people, with the nearest price if there is one. */
export const priceMessage = (refusal: PriceRefusal): string => {
  switch (refusal.reason) {
    case "invalid":
      return "A price is a plain decimal number of XNO such as 0.25"
    case "mismatch":
      return "priceXno and priceRaw are different prices"
    case "out_of_range":
      return `A price is 0.00001 to 9999 XNO; the nearest is ${nearestText(refusal.nearestRaw)}`
    case "too_many_decimals":
      return `A price has at most 6 decimals; the nearest is ${nearestText(refusal.nearestRaw)}`
  }
}

const nearestText = (raw: bigint) => `${xnoOfRaw(raw)} XNO (${raw} raw)`
