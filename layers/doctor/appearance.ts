import { Effect, Option } from "effect"
import type { Environment } from "../config/environment.ts"
import { readSiteFiles } from "../site/siteFiles.ts"
import { about, type Finding } from "./Finding.ts"

const { fault, ok, warning } = about("appearance")

/** Checks the logo and the pages of the site, which keep the service from starting when they are wrong. */
export const appearanceCheck = (environment: Environment) =>
  Effect.match(readSiteFiles(environment), {
    onFailure: ({ message }): ReadonlyArray<Finding> =>
      message
        .split("\n")
        .slice(1)
        .map((line) => fault(line.trim(), "Correct the file. The service does not start until you do.")),
    onSuccess: ({ siteLogo, sitePages }) => [
      ok(
        `The name of the site is ${environment.SITE_NAME}, and ${environment.REGISTRATION === "open" ? "anyone may create an account" : "accounts cannot be created"}.`
      ),
      ...(siteLogo === undefined
        ? []
        : [ok(`The logo is ${siteLogo.type === "image/png" ? "a PNG" : "an SVG"}.`)]),
      ...Option.match(environment.SITE_PAGES, {
        onNone: () => [],
        onSome: (folder) => [
          sitePages.length === 0
            ? warning(
                `${folder} contains no pages.`,
                "Add Markdown files such as imprint.md to it, or remove SITE_PAGES."
              )
            : ok(`The footer links to these pages: ${sitePages.map(({ title }) => title).join(", ")}.`)
        ]
      })
    ]
  })
