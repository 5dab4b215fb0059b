import { Effect, Layer, Schema, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { EARNING_DAYS_MAX } from "../../../schemas/payments/finance/Finance.ts"
import { ExportQuery } from "../../../schemas/payments/finance/Sale.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { Finances } from "../../payments/finance/Finances.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { aboutPrices } from "../../platform/nano/aboutMoney.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { now } from "../../platform/time/now.ts"
import { makeBrowser } from "../browser/http.ts"
import { salesPage, salesPath, wrongDaysPage } from "./salesPage.ts"
import { daysAfter, periodOf, type SalesPeriod } from "./salesPeriod.ts"

const isKind = Schema.is(ExportQuery.fields.kind.schema)

/** Returns a period in the terms of the API, whose end is the day after the last one. */
const apiPeriodOf = ({ first, last }: SalesPeriod) => ({ from: first, to: daysAfter(last, 1) })

/** Serves the page with what an author earned, and its payments as a file. */
export const SalesRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const finances = yield* Finances
    const browser = yield* makeBrowser
    const count = yield* limiting
    const about = yield* aboutPrices
    const { answering, headers, page, query, seeOther } = yield* makePrivatePages

    const asked = Effect.gen(function* () {
      const parameters = yield* query
      const today = (yield* now).toISOString().slice(0, 10)
      return { parameters, period: periodOf(parameters, today) }
    })

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const { period } = yield* asked
      return yield* browser.asOwner(
        salesPath,
        Effect.fnUntraced(function* (owner) {
          if (!("first" in period)) return page(wrongDaysPage(period, owner.isModerator), 422)
          const days = { ...apiPeriodOf(period), limit: EARNING_DAYS_MAX }
          const [summary, { data }] = yield* Effect.all(
            [finances.summary(owner, apiPeriodOf(period)), finances.byDay(owner, days)],
            { concurrency: "unbounded" }
          ).pipe(Effect.catchTag("Validation", Effect.die))
          return page(
            salesPage({ period, summary, days: data, about: yield* about, isModerator: owner.isModerator })
          )
        })
      )
    })

    const download = Effect.gen(function* () {
      const { parameters, period } = yield* asked
      const kind = parameters.get("kind") ?? "all"
      return yield* browser.asOwner(
        salesPath,
        Effect.fnUntraced(function* (owner) {
          if (!isKind(kind)) return yield* new NotFound()
          // The page says what is wrong with the days.
          if (!("first" in period)) return seeOther(`${salesPath}?${parameters}`)
          yield* Effect.provideService(count("exports"), CurrentOwner, owner)
          const lines = finances.exported(owner, { kind, ...apiPeriodOf(period) })
          const name = `pennypress-${kind}-${period.first}-${period.last}.csv`
          return HttpServerResponse.stream(Stream.encodeText(lines), {
            contentType: "text/csv; charset=utf-8",
            headers: { ...headers, "content-disposition": `attachment; filename="${name}"` }
          })
        })
      )
    })

    return Layer.merge(
      addPrivatePage("GET", "/desk/sales", answering(show)),
      addPrivatePage("GET", "/desk/sales.csv", answering(download))
    )
  })
)
