import { crc32 } from "node:zlib"
import { bytesOf } from "../image-formats/shared/makeBytes.ts"
import { extraOf } from "./headerLies.ts"
import { type MadeEntry, zipOf } from "./makeZip.ts"

const encoder = new TextEncoder()
const PATH = 0x7075
const COMMENT = 0x6375
const UTF8 = 0x800

const asBytes = (text: string | Uint8Array) => (typeof text === "string" ? encoder.encode(text) : text)

/** Members of a Unicode field that are not true. */
interface Lies {
  readonly version?: number
  readonly crcOf?: string
  /** Its text, in place of that which is repeated. */
  readonly text?: Uint8Array
}

/** Returns the field that repeats a name or a comment, which are these bytes, in Unicode. */
const unicodeOf = (id: number, raw: string | Uint8Array, text: string, lies: Lies = {}) => {
  const checksum = new Uint8Array(4)
  new DataView(checksum.buffer).setUint32(0, crc32(asBytes(lies.crcOf ?? raw)), true)
  return extraOf(id, bytesOf(lies.version ?? 1, checksum, lies.text ?? encoder.encode(text)))
}

const file = (name: string | Uint8Array, more: Partial<MadeEntry> = {}): MadeEntry => ({
  name,
  content: "x",
  ...more
})
const other = file("b.txt")
const none = new Uint8Array(0)

/** Returns an archive with an entry of this name, whose fields have other text: in the directory, and before the data. */
const archiveOf = (
  name: string | Uint8Array,
  inDirectory: Uint8Array,
  before = inDirectory,
  more: Partial<MadeEntry> = {}
) => zipOf([file(name, { ...more, directoryExtra: inDirectory, local: { extra: before } }), other])

/** Names in old code pages, as programs of Windows write them beside their Unicode form. */
const legacy = {
  cp437: [Uint8Array.of(0x82, 0x2e, 0x74), "é.t"],
  cp850: [Uint8Array.of(0xd0, 0xd1, 0x2e, 0x74), "ðÐ.t"],
  cp866: [Uint8Array.of(0xaa, 0xad, 0x2f, 0xa8), "кн/и"],
  Shift_JIS: [Uint8Array.of(0x93, 0xfa, 0x96, 0x7b, 0x2e, 0x74), "日本.t"],
  GBK: [Uint8Array.of(0xd6, 0xd0, 0xce, 0xc4, 0x2e, 0x74), "中文.t"],
  Big5: [Uint8Array.of(0xa4, 0xa4, 0xa4, 0xe5, 0x2e, 0x74), "中文.t"],
  "EUC-KR": [Uint8Array.of(0xc7, 0xd1, 0x2e, 0x74), "한.t"]
} as const
const [cp437, eAcute] = legacy.cp437
/** The second byte of this letter of Shift_JIS is a backslash. */
const backslashed = Uint8Array.of(0x95, 0x5c, 0x2e, 0x74)

/** Archives that say a name or a comment twice, and say the same. */
export const unicodeAgreements: Readonly<Record<string, Uint8Array>> = {
  "a name and its Unicode form, of ASCII": archiveOf("a.txt", unicodeOf(PATH, "a.txt", "a.txt")),
  "a name and its Unicode form, in UTF-8 with its flag": archiveOf(
    "é.txt",
    unicodeOf(PATH, "é.txt", "é.txt"),
    undefined,
    {
      flags: UTF8
    }
  ),
  "a name and its Unicode form, in UTF-8 without its flag": archiveOf(
    "本.txt",
    unicodeOf(PATH, "本.txt", "本.txt")
  ),
  "a Unicode form in the directory alone": archiveOf("é.txt", unicodeOf(PATH, "é.txt", "é.txt"), none),
  "a Unicode form before the data alone": archiveOf("é.txt", none, unicodeOf(PATH, "é.txt", "é.txt")),
  "the Unicode form of a folder": zipOf([{ name: "é/", extra: unicodeOf(PATH, "é/", "é/") }, file("é/a")]),
  "a comment and its Unicode form": archiveOf("a.txt", unicodeOf(COMMENT, "é", "é"), undefined, {
    comment: encoder.encode("é")
  }),
  "a comment in a code page and its Unicode form": archiveOf(
    "a.txt",
    unicodeOf(COMMENT, cp437, eAcute),
    none,
    {
      comment: cp437
    }
  ),
  "an empty comment and its Unicode form": archiveOf("a.txt", unicodeOf(COMMENT, "", "")),
  ...Object.fromEntries(
    Object.entries(legacy).map(([page, [raw, text]]) => [
      `a name in ${page} and its Unicode form`,
      archiveOf(raw, unicodeOf(PATH, raw, text))
    ])
  ),
  "a name in cp437 whose Unicode form is before the data alone": archiveOf(
    cp437,
    none,
    unicodeOf(PATH, cp437, eAcute)
  )
}

const contradiction = (name: string | Uint8Array, field: Uint8Array, more?: Partial<MadeEntry>) => ({
  "in the directory": archiveOf(name, field, none, more),
  "before the data": archiveOf(name, none, field, more)
})

const repeated = unicodeOf(PATH, "a.txt", "a.txt")

/** Archives that say a name or a comment twice, and differently. */
export const unicodeLies: Readonly<Record<string, Uint8Array>> = {
  ...Object.fromEntries(
    Object.entries({
      "another name in Unicode": contradiction("a.txt", unicodeOf(PATH, "a.txt", "z.txt")),
      "another form of the same letter in Unicode": contradiction(
        "é.txt",
        unicodeOf(PATH, "é.txt", "e\u0301.txt")
      ),
      "a Unicode name with the checksum of another": contradiction(
        "a.txt",
        unicodeOf(PATH, "a.txt", "a.txt", { crcOf: "b.txt" })
      ),
      "a Unicode name of another version": contradiction(
        "a.txt",
        unicodeOf(PATH, "a.txt", "a.txt", { version: 2 })
      ),
      "a Unicode name that is not UTF-8": contradiction(
        "a.txt",
        unicodeOf(PATH, "a.txt", "", { text: Uint8Array.of(0xff) })
      ),
      "a Unicode name with a mark of byte order": contradiction(
        "a.txt",
        unicodeOf(PATH, "a.txt", "\ufeffa.txt")
      ),
      "an empty Unicode name": contradiction("a.txt", unicodeOf(PATH, "a.txt", "")),
      "a Unicode name that is cut off": contradiction("a.txt", extraOf(PATH, [1, 0, 0])),
      "another Unicode name of one in UTF-8 with its flag": contradiction(
        "é.txt",
        unicodeOf(PATH, "é.txt", "z.txt"),
        { flags: UTF8 }
      ),
      "a Unicode name with another ending than one in a code page": contradiction(
        cp437,
        unicodeOf(PATH, cp437, "é.x")
      ),
      "a Unicode name that is longer than one in a code page": contradiction(
        cp437,
        unicodeOf(PATH, cp437, "éé.t")
      ),
      "a Unicode name with ASCII for a letter of a code page": contradiction(
        cp437,
        unicodeOf(PATH, cp437, "e.t")
      ),
      "another comment in Unicode": contradiction("a.txt", unicodeOf(COMMENT, "one", "two"), {
        comment: encoder.encode("one")
      }),
      "a Unicode comment with the checksum of another": contradiction(
        "a.txt",
        unicodeOf(COMMENT, "one", "one", { crcOf: "two" }),
        {
          comment: encoder.encode("one")
        }
      ),
      "a Unicode comment without a comment": contradiction("a.txt", unicodeOf(COMMENT, "", "two")),
      "a Unicode name twice": contradiction("a.txt", bytesOf(repeated, repeated))
    }).flatMap(([what, places]) =>
      Object.entries(places).map(([place, archive]) => [`${what}, ${place}`, archive] as const)
    )
  ),
  "two Unicode forms of a name in a code page": archiveOf(
    cp437,
    unicodeOf(PATH, cp437, eAcute),
    unicodeOf(PATH, cp437, "è.t")
  ),
  "a Unicode form before the data that the name in a code page alone does not have": archiveOf(
    cp437,
    none,
    unicodeOf(PATH, cp437, "è.t")
  )
}

/** Archives whose names lead elsewhere in one of their forms. */
export const unicodeUnsafe: Readonly<Record<string, Uint8Array>> = {
  "a backslash in Shift_JIS": zipOf([file(backslashed)]),
  "a backslash in Shift_JIS beside its Unicode form": archiveOf(
    backslashed,
    unicodeOf(PATH, backslashed, "表.t")
  ),
  "an override of direction in the Unicode form": archiveOf(cp437, unicodeOf(PATH, cp437, "\u202e.t"))
}
