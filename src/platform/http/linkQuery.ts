import { Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { UnknownParameter } from "../../../schemas/platform/errors/common.ts"
import { fieldErrorsOf } from "../../../schemas/platform/errors/fieldErrors.ts"
import { summaryOf } from "../../../schemas/platform/errors/summary.ts"

/** Parameters that advertisers, mail programs, social networks and scripts add to links, and that no operation has. */
const OF_CAMPAIGNS =
  /^(?:_.*|utm_.*|mtm_.*|pk_.*|hsa_.*|ref(?:_.*)?|[a-z]*clk?id|g[ab]raid|wbraid|gclsrc|gad_.*|mc_[ce]id|mkt_tok|li_fat_id|igshi?d?|si|cmpid|epik|vero_id|oly_(?:anon|enc)_id)$/i

const withoutCampaigns = (params: Readonly<Record<string, string | ReadonlyArray<string>>>) => {
  const names = Object.keys(params)
  return names.some((name) => OF_CAMPAIGNS.test(name))
    ? Object.fromEntries(Object.entries(params).filter(([name]) => !OF_CAMPAIGNS.test(name)))
    : params
}

/** Ignores parameters of campaigns, and refuses others that the endpoint does not have. */
export const readLinkQuery = <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(HttpServerRequest.ParsedSearchParams, (params) =>
    Effect.provideService(answer, HttpServerRequest.ParsedSearchParams, withoutCampaigns(params))
  ).pipe(
    Effect.catch(
      Effect.fnUntraced(function* (error) {
        if (!HttpApiError.HttpApiSchemaError.is(error) || error.kind !== "Query")
          return yield* Effect.fail(error)
        const { errors, unlisted } = fieldErrorsOf(error.cause.issue, "query")
        if (!errors.some(({ code }) => code === "unknown")) return yield* Effect.fail(error)
        return yield* new UnknownParameter({ errors, detail: summaryOf(errors, unlisted) })
      })
    )
  )
