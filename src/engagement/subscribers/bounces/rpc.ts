import { Effect } from "effect"
import { BouncesRpcs } from "../../../../schemas/engagement/subscribers/bounces.ts"
import { makeTakeReport } from "./takeReport.ts"

/** Handlers of the procedures for reports of mail servers. */
export const BouncesRpc = BouncesRpcs.toLayer(
  Effect.map(makeTakeReport, (takeReport) =>
    BouncesRpcs.of({
      "mail.bounce": Effect.fnUntraced(function* ({ kind, token }) {
        return { isReader: yield* takeReport(token, kind) }
      })
    })
  )
)
