import { Context, Effect, Layer } from "effect"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { NativeDocument } from "../../../schemas/publishing/posts/NativeDocument.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { DependencyUnavailable } from "../../platform/ports/DependencyUnavailable.ts"
import { Offload } from "../../platform/ports/Offload.ts"
import { type PageText, pageTextQuickly, plainPageText } from "./html/pageText.ts"
import { mayBeRelative } from "./html/targets.ts"
import { readQuickly } from "./reading/readMarkdown.ts"
import { emptyReading, type NativeReading, type SectionReading } from "./reading/sectionReading.ts"
import { withoutUrlsAsText, withoutUrlsQuickly } from "./removal/markdownWithoutUrls.ts"
import { type PageSection, type PublicSection, sectionTasks } from "./sectionTasks.ts"

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
    /** Renders a section of Markdown for the page of its Post, and counts its words. One that takes too long stays plain. */
    readonly pageText: (key: string, section: PageSection) => Effect.Effect<PageText>
    /** Returns a section of Markdown whose relative links and images are absolute. */
    readonly absoluteMarkdown: (key: string, section: PublicSection) => Effect.Effect<string>
    /** Reads a section of Markdown. Its first image is as it is stored. */
    readonly read: (owner: OwnerId, source: string) => Effect.Effect<SectionReading>
    /** Reads a native document. */
    readonly readNative: (owner: OwnerId, document: NativeDocument) => Effect.Effect<NativeReading>
    /** Returns the native document of a section of Markdown that was read before. */
    readonly nativeOf: (owner: OwnerId, source: string) => Effect.Effect<NativeDocument>
    /**
     * Returns a section of Markdown without images, links and definitions that lead to these URLs, in one pass; the text of links
     * stays. An image of the service is found by its path on every host that the service had. Returns the same section when no URL is in it. From a section that is too complex, removes ten at most, as text.
     */
    readonly withoutUrls: (
      owner: OwnerId,
      source: string,
      urls: ReadonlyArray<string>
    ) => Effect.Effect<string>
    /** Does the same for a native document: afterwards none of its attributes leads to this URL. */
    readonly nativeWithoutUrl: (
      owner: OwnerId,
      document: NativeDocument,
      url: string
    ) => Effect.Effect<NativeDocument>
  }
>()("pennypress/publishing/content/SectionReader") {
  static readonly layer = Layer.effect(
    SectionReader,
    Effect.gen(function* () {
      const { run } = yield* Offload
      const { hosts, storedOf } = yield* OwnMedia

      const stored = <Reading extends SectionReading>(reading: Reading) => ({
        ...reading,
        firstImage: storedOf(reading.firstImage)
      })

      return SectionReader.of({
        pageText: Effect.fn("SectionReader.pageText")((key, section) => {
          const text = pageTextQuickly(section.source, { url: section.url, hosts })
          if (text !== undefined) return Effect.succeed(text)
          return Effect.catch(run(sectionTasks.pageText, { ...section, hosts }, key), () =>
            Effect.sync(() => plainPageText(section.source))
          )
        }),
        absoluteMarkdown: Effect.fn("SectionReader.absoluteMarkdown")((key, section) =>
          mayBeRelative(section.source)
            ? Effect.catch(run(sectionTasks.absoluteMarkdown, section, key), unavailable)
            : Effect.succeed(section.source)
        ),
        read: Effect.fn("SectionReader.read")((owner, source) => {
          const reading = readQuickly(source)
          if (reading !== undefined) return Effect.succeed(stored(reading))
          return Effect.map(
            Effect.orElseSucceed(run(sectionTasks.read, source, owner), () => tooComplex),
            stored
          )
        }),
        readNative: Effect.fn("SectionReader.readNative")((owner, document) =>
          Effect.map(
            Effect.orElseSucceed(run(sectionTasks.readNative, document, owner), () => ({
              ...tooComplex,
              markdown: "",
              unsupportedFeatures: []
            })),
            stored
          )
        ),
        nativeOf: Effect.fn("SectionReader.nativeOf")((owner, source) =>
          Effect.catch(run(sectionTasks.nativeOf, source, owner), unavailable)
        ),
        withoutUrls: Effect.fn("SectionReader.withoutUrls")((owner, source, urls) => {
          const result = withoutUrlsQuickly(source, urls, hosts)
          if (result !== undefined) return Effect.succeed(result)
          return Effect.catch(run(sectionTasks.withoutUrls, { source, urls, hosts }, owner), () =>
            Effect.sync(() => withoutUrlsAsText(source, urls, hosts))
          )
        }),
        nativeWithoutUrl: Effect.fn("SectionReader.nativeWithoutUrl")((owner, document, url) =>
          Effect.catch(run(sectionTasks.nativeWithoutUrl, { document, url, hosts }, owner), unavailable)
        )
      })
    })
  )
}
