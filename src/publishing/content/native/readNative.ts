import type { NativeDocument } from "../../../../schemas/publishing/content/NativeDocument.ts"
import { parse } from "../parser/parse.ts"
import { TooComplex } from "../parser/parserLimits.ts"
import { joinedRoot, rootOf } from "../parser/rootOf.ts"
import { readingOf } from "../reading/readMarkdown.ts"
import { emptyReading, type NativeReading } from "../reading/sectionReading.ts"
import { nativeFeaturesOf } from "./nativeFeatures.ts"
import { meanSame } from "./nativeMeaning.ts"
import { markdownOf } from "./toMarkdown.ts"
import { mdastOf } from "./toMdast.ts"
import { nativeOf } from "./toNative.ts"

/** A section of Markdown as a native document. */
export const nativeOfMarkdown = (source: string): NativeDocument => nativeOf(rootOf(source))

/**
 * What Markdown cannot say of a document whose nodes it all has, such as a list in a cell: it is another one when it
 * is read again.
 */
const STRUCTURE = "structure"

/**
 * Reads a native document: the Markdown of it, as much as Markdown can say and the text of the rest, and the codes of
 * what it cannot. There are none exactly when the Markdown gives the same document again.
 */
export const readNative = (document: NativeDocument): NativeReading => {
  try {
    const markdown = markdownOf(mdastOf(document))
    const parts = parse(markdown)
    const reading = readingOf(parts)
    const features = new Set(nativeFeaturesOf(document))
    for (const { feature } of reading.unsupported) features.add(feature)
    if (features.size === 0 && !meanSame(document, nativeOf(joinedRoot(parts)))) features.add(STRUCTURE)
    return { ...reading, markdown, unsupportedFeatures: [...features].toSorted() }
  } catch (error) {
    // What nests so deeply that the stack overflows is too complex, too.
    if (!(error instanceof TooComplex || error instanceof RangeError)) throw error
    return { ...emptyReading, isTooComplex: true, markdown: "", unsupportedFeatures: [] }
  }
}
