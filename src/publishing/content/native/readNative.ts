import type { NativeDocument } from "../../../../schemas/publishing/posts/NativeDocument.ts"
import { parse } from "../parser/parse.ts"
import { TooComplex } from "../parser/parserLimits.ts"
import { joinedRoot, rootOf } from "../parser/rootOf.ts"
import { markdownOf } from "../parser/toMarkdown.ts"
import { readingOf } from "../reading/readMarkdown.ts"
import { emptyReading, type NativeReading } from "../reading/sectionReading.ts"
import { nativeFeaturesOf } from "./nativeFeatures.ts"
import { meanSame } from "./nativeMeaning.ts"
import { mdastOf } from "./toMdast.ts"
import { nativeOf } from "./toNative.ts"

/** Converts a section of Markdown into a native document. */
export const nativeOfMarkdown = (source: string): NativeDocument => nativeOf(rootOf(source))

/**
 * The code for a document that becomes another one when its Markdown is converted back, although Markdown has all of
 * its nodes. A list in a cell makes one.
 */
const STRUCTURE = "structure"

/** Maximum number of features of one document that are named, so that naming them costs less than the document. */
const FEATURES_MAX = 100

/**
 * Reads a native document. Returns its Markdown, with the bare text of content that Markdown cannot express, and the
 * codes of that content. It returns no codes if, and only if, the Markdown converts back to the same document.
 */
export const readNative = (document: NativeDocument): NativeReading => {
  try {
    const markdown = markdownOf(mdastOf(document))
    const parts = parse(markdown)
    const reading = readingOf(parts)
    const features = new Set(nativeFeaturesOf(document))
    for (const { feature } of reading.unsupported) features.add(feature)
    if (features.size === 0 && !meanSame(document, nativeOf(joinedRoot(parts)))) features.add(STRUCTURE)
    return { ...reading, markdown, unsupportedFeatures: [...features].toSorted().slice(0, FEATURES_MAX) }
  } catch (error) {
    // Nesting that overflows the stack is too complex, too.
    if (!(error instanceof TooComplex || error instanceof RangeError)) throw error
    return { ...emptyReading, isTooComplex: true, markdown: "", unsupportedFeatures: [] }
  }
}
