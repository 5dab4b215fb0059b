import { Context, Effect, Layer } from "effect"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { NativeDocument } from "../../../schemas/publishing/posts/NativeDocument.ts"
import { DependencyUnavailable } from "../../platform/ports/DependencyUnavailable.ts"
import { Offload } from "../../platform/ports/Offload.ts"
import type { PageText } from "./html/pageText.ts"
import { mayBeRelative } from "./html/targets.ts"
import { readQuickly } from "./reading/readMarkdown.ts"
import { emptyReading, type NativeReading, type SectionReading } from "./reading/sectionReading.ts"
import { withoutUrlQuickly } from "./removal/markdownWithoutUrl.ts"
import { withoutUrlText } from "./removal/withoutUrlText.ts"
import { type PublicSection, sectionTasks } from "./sectionTasks.ts"

const tooComplex: SectionReading = { ...emptyReading, isTooComplex: true }

const unavailable = () => Effect.die(new DependencyUnavailable({ dependency: "section reader" }))

/**
 * Reads sections of Posts without delaying other requests: short ones at once, long ones in threads, in turn between
 * owners. A text that a thread cannot read in time is too complex. Each method dies with `DependencyUnavailable` when
 * too many sections of the owner, or of all owners, wait.
 */
export class SectionReader extends Context.Service<
  SectionReader,
  {
    /** Renders a section of Markdown for the page of its Post, and counts its words. */
    readonly pageText: (key: string, section: PublicSection) => Effect.Effect<PageText>
    /** Renders a section of Markdown for feeds. */
    readonly feedText: (key: string, section: PublicSection) => Effect.Effect<string>
    /** Returns a section of Markdown whose relative links and images are absolute. */
    readonly absoluteMarkdown: (key: string, section: PublicSection) => Effect.Effect<string>
    /** Reads a section of Markdown. */
    readonly read: (owner: OwnerId, source: string) => Effect.Effect<SectionReading>
    /** Reads a native document. */
    readonly readNative: (owner: OwnerId, document: NativeDocument) => Effect.Effect<NativeReading>
    /** Returns the native document of a section of Markdown that was read before. */
    readonly nativeOf: (owner: OwnerId, source: string) => Effect.Effect<NativeDocument>
    /**
     * Returns a section of Markdown without images, links and definitions of exactly this URL; the text of links stays.
     * Returns the same section when the URL is not in it. From a section that is too complex, removes the URL as text.
     */
    readonly withoutUrl: (owner: OwnerId, source: string, url: string) => Effect.Effect<string>
    /** Does the same for a native document: afterwards none of its attributes is this URL. */
    readonly nativeWithoutUrl: (
      owner: OwnerId,
      document: NativeDocument,
      url: string
    ) => Effect.Effect<NativeDocument>
  }
>()("pennypress/publishing/content/SectionReader") {
  static readonly layer = Layer.effect(
    SectionReader,
    Effect.map(Offload, ({ run }) =>
      SectionReader.of({
        pageText: Effect.fn("SectionReader.pageText")((key, section) =>
          Effect.catch(run(sectionTasks.pageText, section, key), unavailable)
        ),
        feedText: Effect.fn("SectionReader.feedText")((key, section) =>
          Effect.catch(run(sectionTasks.feedText, section, key), unavailable)
        ),
        absoluteMarkdown: Effect.fn("SectionReader.absoluteMarkdown")((key, section) =>
          mayBeRelative(section.source)
            ? Effect.catch(run(sectionTasks.absoluteMarkdown, section, key), unavailable)
            : Effect.succeed(section.source)
        ),
        read: Effect.fn("SectionReader.read")((owner, source) => {
          const reading = readQuickly(source)
          if (reading !== undefined) return Effect.succeed(reading)
          return Effect.orElseSucceed(run(sectionTasks.read, source, owner), () => tooComplex)
        }),
        readNative: Effect.fn("SectionReader.readNative")((owner, document) =>
          Effect.orElseSucceed(run(sectionTasks.readNative, document, owner), () => ({
            ...tooComplex,
            markdown: "",
            unsupportedFeatures: []
          }))
        ),
        nativeOf: Effect.fn("SectionReader.nativeOf")((owner, source) =>
          Effect.catch(run(sectionTasks.nativeOf, source, owner), unavailable)
        ),
        withoutUrl: Effect.fn("SectionReader.withoutUrl")((owner, source, url) => {
          const result = withoutUrlQuickly(source, url)
          if (result !== undefined) return Effect.succeed(result)
          return Effect.catch(run(sectionTasks.withoutUrl, { source, url }, owner), () =>
            Effect.sync(() => withoutUrlText(source, url))
          )
        }),
        nativeWithoutUrl: Effect.fn("SectionReader.nativeWithoutUrl")((owner, document, url) =>
          Effect.catch(run(sectionTasks.nativeWithoutUrl, { document, url }, owner), unavailable)
        )
      })
    )
  )
}
