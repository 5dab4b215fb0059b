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
        .map((line) => fault(line.trim(), "Correct the file. The service does not start with it.")),
    onSuccess: ({ siteLogo, sitePages }) => [
      ok(
        `The site is called ${environment.SITE_NAME}, and ${environment.REGISTRATION === "open" ? "anyone may create an account" : "creates no new account"}.`
      ),
      ...(siteLogo === undefined ? [] : [ok(`The logo is ${siteLogo.width} by ${siteLogo.height}.`)]),
      ...Option.match(environment.SITE_PAGES, {
        onNone: () => [],
        onSome: (folder) => [
          sitePages.length === 0
            ? warning(
                `${folder} has no pages.`,
                "Write Markdown files such as imprint.md into it, or leave SITE_PAGES out."
              )
            : ok(`The footer links these pages: ${sitePages.map(({ title }) => title).join(", ")}.`)
        ]
      })
    ]
  })
