import { Effect, Layer } from "effect"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { countingPages } from "../../platform/http/pageForms.ts"
import { LICENSE_PATH, LICENSE_TYPE } from "../../platform/http/pageHeaders.ts"
import { type Form, makePublicAnswer } from "../../platform/http/publicAnswer.ts"
import { addRoute, ServicePaths } from "../../platform/http/ServicePaths.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { DiscoveryDocuments } from "./DiscoveryDocuments.ts"
import * as reads from "./publicReads.ts"
import { skillNameOf, SKILLS_PATH } from "./skill.ts"

const textOf = (contentType: string): Form<string> => ({
  contentType: `${contentType}; charset=utf-8`,
  textOf: (text) => text
})

/** Serves the introduction for agents, also as a skill that installers find, and the terms of use. */
export const AgentDocumentRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const documents = yield* DiscoveryDocuments
    const { contentSignals } = yield* Settings
    const counting = yield* countingPages
    const answer = yield* makePublicAnswer
    const paths = yield* ServicePaths
    const base = yield* PublicBaseUrl
    const has = (path: string) => paths.all().has(path)
    const text = Effect.sync(() => documents.llmsText(has))
    const skill = Effect.sync(() => documents.skill(has))
    const skillFile = Effect.map(skill, (it) => it.text)
    const skillIndex = Effect.map(skill, (it) => it.index)

    return Layer.mergeAll(
      addRoute(
        "GET",
        "/llms.txt",
        counting((request) => answer(request, reads.llmsText, text, textOf("text/plain")))
      ),
      addRoute(
        "GET",
        `${SKILLS_PATH}/index.json`,
        counting((request) => answer(request, reads.skillIndex, skillIndex))
      ),
      addRoute(
        "GET",
        `${SKILLS_PATH}/${skillNameOf(base)}/SKILL.md`,
        counting((request) => answer(request, reads.skill, skillFile, textOf("text/markdown")))
      ),
      // An operator who states no uses states no terms.
      contentSignals === ""
        ? Layer.empty
        : addRoute(
            "GET",
            LICENSE_PATH,
            counting((request) => answer(request, reads.license, documents.license, textOf(LICENSE_TYPE)))
          )
    )
  })
)
