import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { makePublicAnswer } from "../../platform/http/publicAnswer.ts"
import { DiscoveryDocuments } from "./DiscoveryDocuments.ts"
import * as reads from "./publicReads.ts"

/** The documents of spec 4.5 that are JSON. */
export const DiscoveryDocumentsHttp = HttpApiBuilder.group(
  Api,
  "documents",
  Effect.fnUntraced(function* (handlers) {
    const documents = yield* DiscoveryDocuments
    const answer = yield* makePublicAnswer

    return handlers.handleAll({
      payments: ({ request }) => answer(request, reads.payments, documents.payments),
      catalogue: ({ query, request }) => answer(request, reads.catalogue(query), documents.catalogue(query)),
      railHint: ({ request }) => answer(request, reads.railHint, Effect.succeed(documents.railHint))
    })
  })
)
