import * as fc from "fast-check"

/** Members that objects do not expect, and names that JavaScript gives a meaning. */
export const strangeNames = fc.constantFrom(
  "__proto__",
  "constructor",
  "toString",
  "",
  "\0",
  "a.b",
  "0",
  "length",
  "\ud800"
)

const longText = fc.constantFrom(
  "a".repeat(201),
  "é".repeat(5_000),
  "😀".repeat(600),
  " ".repeat(300),
  "\u202e".repeat(41)
)

export const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.string({ unit: "grapheme", maxLength: 30 }),
  longText,
  fc.constantFrom(
    "",
    " ",
    "\0",
    "a\0b",
    "\ud800",
    "\udc00x",
    "null",
    "1e400",
    "-0",
    "9".repeat(60),
    "00000000-0000-0000-0000-000000000000",
    "2026-13-41T25:61:61Z",
    "+275760-09-13T00:00:00.001Z",
    "9999-12-31T23:59:59Z",
    "0001-01-01T00:00:00Z",
    "https://",
    "http://[::1",
    "javascript:alert(1)",
    "' or 1=1 --",
    "%s%n",
    "| a |\n|---|\n" + "> ".repeat(200) + "x",
    "[".repeat(300),
    "nano_1111111111111111111111111111111111111111111111111111hifc8npp"
  )
)

export const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(0, -0, 1e308, 5e-324, Number.MAX_SAFE_INTEGER + 2, 2 ** 31, 2 ** 63, 0.1)
)

const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null))

/** Any JSON value, with members of these names as often as with others. */
export const json = (names: ReadonlyArray<string>) => {
  const name =
    names.length === 0
      ? strangeNames
      : fc.oneof(fc.constantFrom(...names), fc.constantFrom(...names), strangeNames)
  return fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      scalar,
      fc.array(tie("value"), { maxLength: 4 }),
      fc.array(fc.tuple(name, tie("value")), { maxLength: 6 }).map((entries) => Object.fromEntries(entries))
    )
  })).value
}
