import { Effect } from "effect"
import type { ReportedThing } from "../../engagement/reports/ReportedThings.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { trusted } from "../../platform/pages/html.ts"
import { Site } from "../../platform/pages/Site.ts"
import { makeBothSections } from "../pages/bothSections.ts"
import { authorPath } from "../pages/parts/people.ts"
import { makePictures } from "../pages/pictures.ts"
import type { ReportedView } from "./reportedPart.ts"

/** Makes the function that renders the target of a report, with the renderer of all pages. */
export const makeReportedView = Effect.gen(function* () {
  const bothSections = yield* makeBothSections
  const { srcOf } = yield* OwnMedia
  const { pictured } = yield* makePictures
  const { baseUrl } = yield* Site

  const viewOf: (thing: ReportedThing) => Effect.Effect<ReportedView> = Effect.fnUntraced(function* (thing) {
    const author = { ...thing.author, avatarUrl: srcOf(thing.author.avatarUrl) }
    if (thing.kind === "account") return { ...thing, author, headerUrl: srcOf(thing.headerUrl) }
    if (thing.kind !== "post") return { ...thing, author }
    const { free, paid } = yield* bothSections(author.id, {
      free: thing.free,
      paid: thing.paid,
      url: `${baseUrl}${authorPath(author.handle)}/${thing.slug}`
    })
    return {
      ...thing,
      author,
      picture: srcOf(thing.picture),
      free: yield* pictured(thing.id, trusted(free.html)),
      paid: paid === null ? null : yield* pictured(thing.id, trusted(paid))
    }
  })
  return viewOf
})
