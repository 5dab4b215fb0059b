import { Context, Effect, Layer, Option, Schema } from "effect"
import { Validation } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { PostId } from "../../../schemas/platform/Ids.ts"
import {
  type Catalogue,
  CATALOGUE_LIMIT_DEFAULT,
  type CatalogueQuery
} from "../../../schemas/web/discovery-documents/Catalogue.ts"
import {
  type PaymentDocument,
  type RailHint,
  RESOURCES_MAX
} from "../../../schemas/web/discovery-documents/Documents.ts"
import { railHint } from "../../payments/x402/railHint.ts"
import { hexOfThreshold, workRule } from "../../payments/x402/workRule.ts"
import { Cursors } from "../../platform/cursors/Cursors.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { catalogueStatements } from "../../publishing/public-posts/catalogue.sql.ts"
import { documentOf } from "../feeds/xml.ts"
import { catalogueItemOf } from "./catalogueItem.ts"
import { licenseOf } from "./licenseDocument.ts"
import { llmsText } from "./llmsText.ts"
import { paymentDocumentOf } from "./paymentDocument.ts"
import { skillIndex, skillText } from "./skill.ts"

/**
 * Documents with which programs discover the service, what is for sale, and how to pay (spec 4.5). While the service
 * takes no payments, they offer nothing for sale.
 */
export class DiscoveryDocuments extends Context.Service<
  DiscoveryDocuments,
  {
    readonly payments: Effect.Effect<PaymentDocument>
    /** Lists the Posts that are for sale. Fails for a cursor of another list, and for an offset with a cursor. */
    readonly catalogue: (query: CatalogueQuery) => Effect.Effect<Catalogue, Validation>
    readonly railHint: RailHint
    /** Returns the introduction for agents, in Markdown. `has` returns whether the service has a path. */
    readonly llmsText: (has: (path: string) => boolean) => string
    /** Returns the introduction as a skill, and the index in which installers find it. */
    readonly skill: (has: (path: string) => boolean) => {
      readonly text: string
      readonly index: ReturnType<typeof skillIndex>
    }
    /** The terms of use of what is public and of what is for sale. */
    readonly license: Effect.Effect<string>
  }
>()("pennypress/web/discovery-documents/DiscoveryDocuments") {
  static readonly layer = Layer.effect(
    DiscoveryDocuments,
    Effect.gen(function* () {
      const statements = yield* catalogueStatements
      const cursors = yield* Cursors
      const baseUrl = yield* PublicBaseUrl
      const media = yield* OwnMedia
      const {
        contentSignals: signals,
        isRegistrationOpen,
        siteClaim: claim,
        siteName: name
      } = yield* Settings
      const { kind, network } = yield* NanoLedger
      const { demand, threshold } = yield* workRule
      const takesPayments = kind !== "off"
      const rail = takesPayments ? { network, work: demand, workThreshold: hexOfThreshold(threshold) } : null

      const slice = (wanted: Parameters<typeof statements.slice>[0]) =>
        takesPayments ? statements.slice(wanted) : Effect.succeed({ rows: [], total: 0 })

      /** Reads a cursor of the catalogue; an empty one begins it. */
      const placeOf = Effect.fnUntraced(function* (cursor: string) {
        if (cursor === "") return undefined
        const position = Option.flatMap(yield* cursors.read(CATALOGUE, cursor), decodePosition)
        if (Option.isNone(position)) {
          return yield* invalid("Send the nextCursor of this list, or an empty cursor to begin")
        }
        const [place, id] = position.value
        return { place, id }
      })

      const hint = railHint(baseUrl, network)
      const introduction = (has: (path: string) => boolean) =>
        llmsText({ name, claim, isRegistrationOpen, base: baseUrl, ledger: kind, has })

      const newest = Effect.map(slice({ after: undefined, offset: 0, limit: RESOURCES_MAX }), ({ rows }) =>
        rows.slice(0, RESOURCES_MAX)
      )

      return DiscoveryDocuments.of({
        payments: newest.pipe(
          Effect.map((rows) => paymentDocumentOf(rows, { baseUrl, name }, rail)),
          Effect.withSpan("DiscoveryDocuments.payments")
        ),

        license: newest.pipe(
          Effect.flatMap((rows) => documentOf(licenseOf(rows, { base: baseUrl, signals, takesPayments }))),
          Effect.withSpan("DiscoveryDocuments.license")
        ),

        catalogue: Effect.fn("DiscoveryDocuments.catalogue")(function* ({
          cursor,
          limit = CATALOGUE_LIMIT_DEFAULT,
          offset
        }) {
          if (cursor !== undefined && offset !== undefined) {
            return yield* invalid("Send either an offset or a cursor")
          }
          const after = cursor === undefined ? undefined : yield* placeOf(cursor)
          const { rows, total } = yield* slice({ after, offset: offset ?? 0, limit })
          const shown = rows.slice(0, limit)
          const last = rows.length > limit ? shown.at(-1) : undefined
          return {
            x402Version: 2,
            items: shown.map((row) => catalogueItemOf(row, { baseUrl, media, network })),
            pagination: {
              limit,
              offset: cursor === undefined ? (offset ?? 0) : null,
              total,
              nextCursor: last === undefined ? null : yield* cursors.make(CATALOGUE, [last.place, last.id])
            }
          }
        }),

        railHint: takesPayments
          ? hint
          : { ...hint, cheapest: null, why: "The service takes no payments at present." },

        llmsText: introduction,

        skill: (has) => {
          const described = { name, base: baseUrl, takesPayments }
          const text = skillText(described, introduction(has))
          return { text, index: skillIndex(described, text) }
        }
      })
    })
  )
}

/** The list that a cursor belongs to. */
const CATALOGUE = "payment catalogue"

const decodePosition = Schema.decodeUnknownOption(
  Schema.Tuple([Schema.String.check(Schema.isPattern(/^[0-9]{1,16}$/)), PostId])
)

const invalid = (message: string) =>
  new Validation({ errors: [{ field: "cursor", code: "invalid", message }] })
