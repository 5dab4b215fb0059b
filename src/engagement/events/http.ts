import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { EventList, type EventTexts } from "./EventList.ts"

/** Returns a page with the very bytes of each event. A body is as its release made it, so it is not encoded again. */
const pageAnswer = ({ data, ...rest }: EventTexts) =>
  HttpServerResponse.text(`{"data":[${data.join(",")}],${JSON.stringify(rest).slice(1)}`, {
    contentType: "application/json"
  })

/** The events of the owner who calls. */
export const EventsHttp = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fnUntraced(function* (handlers) {
    const events = yield* EventList

    return handlers.handle(
      "list",
      Effect.fnUntraced(function* ({ query }) {
        return pageAnswer(yield* events.page(yield* CurrentOwner, query))
      })
    )
  })
)
