import { ABOUT_ERRORS } from "../../../schemas/platform/openapiErrors.ts"
import { type Document, operationsOf, slugOfTag } from "../../../schemas/platform/openapiTags.ts"
import { html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { described } from "./schemaList.ts"

interface Sentence {
  readonly description?: string
}

/** Returns the page that lists the operations of a document by tag, with what all of them share. */
export const indexPage = (document: Document, baseUrl: string): Page => {
  const { components, tags } = document
  const operations = operationsOf(document)
  const entries = (kind: string) => Object.entries<Sentence>(components[kind] ?? {})
  return {
    title: "API",
    description: "Read about every operation of the API, with its bounds, answers and examples.",
    canonical: `${baseUrl}/docs`,
    main: html`<div class="reference">
      <h1>API</h1>
      <p class="lede">Write, read, sell and buy from a program, with ${operations.length} operations.</p>
      <p class="note">
        Begin with <a href="/llms.txt">/llms.txt</a>, which leads from sign-in to the first sale. Programs
        read <a href="/openapi.json">/openapi.json</a>.
      </p>
      <div class="prose">
        ${tags.map((tag) => {
          const page = `/docs/${slugOfTag(tag)}`
          const own = operations.filter(({ operation }) => operation.tags.includes(tag.name))
          return html`<section>
            <h2 id="${slugOfTag(tag)}"><a href="${page}">${tag.name}</a></h2>
            ${tag.description !== undefined && html`<p>${described(tag.description)}</p>`}
            <ul>
              ${own.map(
                ({ method, operation: { operationId, summary }, path }) =>
                  html`<li id="${operationId}">
                    <a href="${page}#${operationId}">${summary ?? operationId}</a>
                    <code>${method.toUpperCase()} ${path}</code>
                  </li>`
              )}
            </ul>
          </section>`
        })}
        <section>
          <h2 id="credentials">Credentials</h2>
          <p>A credential is the value of the header <code>Authorization: Bearer …</code>.</p>
          <ul>
            ${entries("securitySchemes").map(
              ([name, { description = "" }]) =>
                html`<li id="${name}"><code>${name}</code> ${described(description)}</li>`
            )}
          </ul>
        </section>
        <section>
          <h2 id="errors">Errors</h2>
          <p>${described(ABOUT_ERRORS)}</p>
        </section>
        <section>
          <h2 id="headers">Headers of answers</h2>
          <ul>
            ${entries("headers").map(
              ([name, { description = "" }]) =>
                html`<li id="header-${name}"><code>${name}</code> ${described(description)}</li>`
            )}
          </ul>
        </section>
      </div>
    </div>`
  }
}
