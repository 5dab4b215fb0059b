import { ABOUT_ERRORS } from "../../../schemas/platform/openapiErrors.ts"
import { type Document, operationsOf, slugOfTag, type Tag } from "../../../schemas/platform/openapiTags.ts"
import { html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { answersOf, errorName, resolving } from "./operationParts.ts"
import { errorId, operationSection } from "./operationSection.ts"
import { described } from "./schemaList.ts"

/** Returns the page of a tag from its document: every operation, and the errors that they answer. */
export const tagPage = (document: Document, tag: Tag, baseUrl: string): Page => {
  const resolve = resolving(document)
  const operations = operationsOf(document)
  const slug = slugOfTag(tag)
  const about = tag.description ?? tag.name
  const errors = new Map(
    operations
      .flatMap(({ operation }) => answersOf(operation.responses, resolve).errors)
      .flatMap(({ kinds }) => kinds.map((it) => [errorName(it) ?? "", it] as const))
  )
  return {
    title: `${tag.name} · API`,
    description: `${about}: requests, answers and examples.`,
    canonical: `${baseUrl}/docs/${slug}`,
    alternates: [{ type: "text/markdown", url: `${baseUrl}/docs/${slug}.md` }],
    main: html`<div class="reference">
      <p class="kicker"><a href="/docs">API</a></p>
      <h1>${tag.name}</h1>
      <p class="lede">${described(about)}</p>
      <p class="note">
        For programs: <a href="/docs/${slug}.md">this page as Markdown</a>,
        <a href="/openapi/${slug}.json">its part of the OpenAPI document</a>
      </p>
      <div class="prose">
        <ul>
          ${operations.map(
            ({ operation: { operationId, summary } }) =>
              html`<li><a href="#${operationId}">${summary ?? operationId}</a></li>`
          )}
        </ul>
        ${operations.map((it) => operationSection(it, { resolve, baseUrl }))}
        <section>
          <h2 id="errors">Errors</h2>
          <p>${described(ABOUT_ERRORS)}</p>
          <ul>
            ${[...errors].map(
              ([name, { description = "", properties }]) =>
                html`<li id="${errorId(name)}">
                  ${properties?.["type"] === undefined ? html`<code>${name}</code>` : html`<a href="/problems/${name}">${name}</a>`}
                  ${described(description)}
                </li>`
            )}
          </ul>
        </section>
      </div>
    </div>`
  }
}
