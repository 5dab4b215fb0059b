import type { NativeMark, NativeNode } from "../../../../schemas/publishing/posts/NativeDocument.ts"
import { isShownTarget } from "../html/targets.ts"
import { isFootnoteLabel } from "../parser/footnotes.ts"
import { isPaddedCode } from "../reading/unsupported.ts"
import { hasMark, isCell } from "./nativeNodes.ts"

/** Returns true for a value of an attribute that Markdown can express. */
type Sayable = (value: unknown) => boolean

const isText: Sayable = (value) => typeof value === "string"
const isLabel: Sayable = (value) => typeof value === "string" && isFootnoteLabel(value)
const isTarget: Sayable = (value) => typeof value === "string" && isShownTarget(value)
const isOne: Sayable = (value) => value === 1
/** Accepts attributes that say nothing about the content, such as the look in an editor. */
const isLook: Sayable = () => true
const between =
  (min: number, max: number): Sayable =>
  (value) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max

const cell = {
  align: (value: unknown) => value === "left" || value === "center" || value === "right",
  colspan: isOne,
  rowspan: isOne
}

/** The types that Markdown can express, with the attributes of each that it can express. */
const SAYABLE: Readonly<Record<string, Readonly<Record<string, Sayable>>>> = {
  doc: {},
  paragraph: {},
  heading: { level: between(1, 6) },
  blockquote: {},
  bulletList: { tight: isLook },
  orderedList: { start: between(0, 999_999_999), tight: isLook },
  listItem: {},
  codeBlock: { language: isText, meta: isText },
  horizontalRule: {},
  table: {},
  tableRow: {},
  tableHeader: cell,
  tableCell: cell,
  footnoteDefinition: { label: isLabel },
  text: {},
  hardBreak: {},
  footnoteReference: { label: isLabel },
  image: { src: isTarget, alt: isText, title: isText },
  bold: {},
  italic: {},
  strike: {},
  underline: {},
  code: {},
  link: { href: isTarget, title: isText, target: isLook, rel: isLook, class: isLook }
}

/** Returns true for an unset attribute. */
const isUnset = (value: unknown) => value === null || value === "" || value === undefined

const sayableOf = (type: string) => (Object.hasOwn(SAYABLE, type) ? SAYABLE[type] : undefined)

/** Returns true for a type that Markdown can express. */
export const isSayable = (type: string): boolean => sayableOf(type) !== undefined

/** Returns the set attributes that say something about the content, in the order of their names. */
export const toldAttrs = ({
  attrs = {},
  type
}: NativeNode | NativeMark): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(attrs)
    .filter(([name, value]) => !isUnset(value) && sayableOf(type)?.[name] !== isLook)
    .filter(([name, value]) => !(value === 1 && sayableOf(type)?.[name] === isOne))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))

const TASKS: ReadonlySet<string> = new Set(["taskList", "taskItem"])

const FEATURE_CHARS_MAX = 64

/** Writes `textStyle` as `text_style`. */
const snake = (name: string) =>
  name
    .replaceAll(/(?<=[a-z0-9])[A-Z]/g, "_$&")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .toLowerCase()
    .slice(0, FEATURE_CHARS_MAX)

function* featuresOfOne(it: NativeNode | NativeMark): Generator<string> {
  const { type } = it
  const sayable = sayableOf(type)
  if (sayable === undefined) yield TASKS.has(type) ? "task_list" : snake(type)
  else {
    for (const [name, value] of toldAttrs(it)) {
      const isSayable = Object.hasOwn(sayable, name) && sayable[name]?.(value) === true
      if (!isSayable) yield snake(`${type}_${name}`)
    }
  }
}

function* featuresOfCell(node: NativeNode): Generator<string> {
  if (node.type === "image") yield "table_cell_image"
  if (hasMark(node, "code") && isPaddedCode(node.text ?? "")) yield "table_cell_code_whitespace"
}

const cellsOf = (row: NativeNode | undefined) => row?.content?.length ?? 0

/**
 * Returns the codes of content that Markdown cannot express: nodes and marks by type (`youtube`, `text_style`), attributes
 * by type and name (`paragraph_text_align`), and the unsupported features of Markdown itself (`task_list`,
 * `table_cell_image`, …).
 */
export const nativeFeaturesOf = (document: NativeNode): ReadonlySet<string> => {
  const features = new Set<string>()
  const stack: Array<readonly [node: NativeNode, isInCell: boolean]> = [[document, false]]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [node, isInCell] = next
    for (const feature of featuresOfOne(node)) features.add(feature)
    for (const mark of node.marks ?? []) for (const feature of featuresOfOne(mark)) features.add(feature)
    if (isInCell) for (const feature of featuresOfCell(node)) features.add(feature)
    const isLong =
      node.type === "table" && node.content?.some((row) => cellsOf(row) > cellsOf(node.content?.[0]))
    if (isLong === true) features.add("table_row_too_long")
    const areInCell = isInCell || isCell(node)
    for (const child of node.content ?? []) stack.push([child, areInCell])
  }
  return features
}
