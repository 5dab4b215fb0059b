import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { type ProblemKind, problems } from "../../../schemas/platform/errors/problems.ts"
import { problemAnswer } from "./errorAnswer.ts"

const pages: ReadonlyMap<string, ProblemKind> = new Map(Object.entries(problems))

const page = (slug: string, kind: ProblemKind) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${kind.title}</title><meta name="viewport" content="width=device-width"></head>
<body>
<h1>${kind.title}</h1>
<p><code>${slug}</code>, status ${kind.status}</p>
<p>${kind.meaning}</p>
<p>${kind.remedy}</p>
</body>
</html>
`

/** Serves the page behind the `type` of a problem: its meaning and what to do. */
export const ProblemPagesRoutes = HttpRouter.add(
  "GET",
  "/problems/:slug",
  Effect.gen(function* () {
    const { slug = "" } = yield* HttpRouter.params
    const kind = pages.get(slug)
    if (kind === undefined) return yield* problemAnswer(new NotFound())
    return HttpServerResponse.text(page(slug, kind), {
      contentType: "text/html; charset=utf-8",
      headers: {
        "content-security-policy":
          "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        "cache-control": "public, max-age=3600"
      }
    })
  })
)
