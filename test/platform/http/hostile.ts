import * as fc from "fast-check"
import { json, number, strangeNames, text } from "./hostileJson.ts"

const repeated = (open: string, close: string, middle = "") =>
  `${open.repeat(10_000)}${middle}${close.repeat(10_000)}`

/** Text that is not JSON, or JSON that JSON writers never produce. */
const rawBody = (names: ReadonlyArray<string>) => {
  const member = JSON.stringify(names[0] ?? "a")
  return fc.oneof(
    fc.constantFrom(
      "",
      " ",
      "{",
      "null",
      "[]",
      '""',
      "\ufeff{}",
      "{'a':1}",
      "NaN",
      "1e999999",
      repeated("[", "]"),
      repeated('{"a":', "}", "1"),
      repeated(`{${member}:`, "}", "[]"),
      `{${member}:1,${member}:"2",${member}:null}`,
      `{${member}:1e400}`,
      `{${member}:${"9".repeat(400)}}`,
      `{${member}:"\\ud800"}`,
      `{${member}:"\\u0000"}`,
      `{${member}:[${"null,".repeat(5_000)}0]}`,
      `{${Array.from({ length: 2_000 }, (_, i) => `"m${i}":${i}`).join(",")}}`
    ),
    fc.string({ unit: "binary", maxLength: 100 })
  )
}

export type HostileBody = string | Uint8Array

/** Body of a request, most often an object with members that the operation knows. */
export const body = (names: ReadonlyArray<string>): fc.Arbitrary<HostileBody> => {
  const value = json(names)
  const known =
    names.length === 0
      ? value
      : fc
          .uniqueArray(fc.constantFrom(...names), { maxLength: 8 })
          .chain((some) => fc.record(Object.fromEntries(some.map((it) => [it, value]))))
  return fc.oneof(
    { weight: 5, arbitrary: known.map((it) => JSON.stringify(it)) },
    { weight: 2, arbitrary: value.map((it) => JSON.stringify(it)) },
    { weight: 2, arbitrary: rawBody(names) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 100 }) }
  )
}

/** Value that a header may hold on the wire: visible Latin-1, spaces and tabs. */
const headerText = fc
  .oneof(text, fc.string({ maxLength: 300 }))
  // oxlint-disable-next-line eslint/no-control-regex
  .map((it) => it.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "\xff"))

const headerValue = fc.oneof(
  headerText,
  fc.constantFrom(
    "*",
    '""',
    '"a", "b"',
    "W/",
    'W/"x',
    ",",
    "a".repeat(256),
    "a".repeat(9_000),
    "\xe9",
    "true",
    "-1",
    "k1"
  )
)

const unsignedToken = "eyJhbGciOiJub25lIn0.eyJzdWIiOiIwMTk5MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDAifQ."

/** Authorization header without any credential of ours. */
export const authorization = fc.oneof(
  headerValue,
  headerValue.map((it) => `Bearer ${it}`),
  fc.constantFrom(
    "Bearer",
    "bearer ",
    "Basic dXNlcjpwYXNz",
    `Bearer ${unsignedToken}`,
    "Bearer ppk_",
    "Bearer ppk__",
    "Bearer ppk_0000000000000000_",
    `Bearer ppk_0000000000000000_${"0".repeat(43)}`,
    `Bearer ppk_${"a".repeat(5_000)}`,
    "Bearer a.b.c",
    "Bearer  two  words"
  )
)

const contentType = fc.oneof(
  { weight: 6, arbitrary: fc.constant("application/json") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "application/json; charset=utf-8",
      "application/json;charset=\xff",
      "APPLICATION/JSON",
      "text/plain",
      "multipart/form-data",
      "multipart/form-data; boundary=",
      "application/x-www-form-urlencoded",
      ";",
      "/"
    )
  },
  { weight: 1, arbitrary: headerValue }
)

/** Headers that operations read, each present or absent, with any value. */
export const headers = fc.record(
  {
    "content-type": contentType,
    "idempotency-key": headerValue,
    "x-post-revision": headerValue,
    "if-match": headerValue,
    "if-none-match": headerValue,
    "x-request-id": headerValue,
    "x-upload-target-key": headerValue
  },
  { requiredKeys: [] }
)

/** Query of known and unknown parameters. */
export const query = fc.oneof(
  fc.constant(""),
  fc
    .array(
      fc.tuple(
        fc.oneof(
          fc.constantFrom(
            "q",
            "page",
            "per_page",
            "cursor",
            "sort",
            "categoryId",
            "handle",
            "status",
            "access",
            "limit"
          ),
          strangeNames
        ),
        fc.oneof(text, number.map(String))
      ),
      { maxLength: 4 }
    )
    .map((pairs) => pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&")),
  fc.constantFrom("%", "%ZZ=%ZZ", "=&=&=", "page=%00", "page", "q=%ED%A0%80", "a[]=1&a[b]=2", "&".repeat(500))
)

const encode = (it: string) => encodeURIComponent(it.toWellFormed())

/** Segment of a path, encoded or made to look encoded. */
export const segment = fc.oneof(
  fc.constantFrom(
    "%ZZ",
    "%",
    "%0",
    "%00",
    "%2F",
    "%2e%2e",
    "%252e",
    ".",
    "..",
    "%FF",
    "%ED%A0%80",
    "%F0%9F",
    "",
    "a//b",
    ";a",
    "a;b",
    ":postId",
    "*",
    "__proto__",
    "null",
    "a".repeat(121),
    "a".repeat(200),
    "a".repeat(201),
    "a".repeat(8_000),
    "%61".repeat(50),
    "00000000-0000-0000-0000-000000000000",
    "01990000-0000-7000-8000-000000000000",
    "{01990000-0000-7000-8000-000000000000}",
    "01990000000070008000000000000000"
  ),
  text.map(encode)
)
