import type { Operation } from "../../../schemas/platform/openapi.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { curlText } from "./curlText.ts"
import { answersOf, errorName, type Placed, type Resolve, type Responses } from "./operationParts.ts"
import { described, schemaList, typeText, valueNote } from "./schemaList.ts"
import { schemaOf } from "./schemaText.ts"

/** The surroundings of an operation: what its references mean, and the origin of its path. */
export interface Surroundings {
  readonly resolve: Resolve
  readonly baseUrl: string
}

/** The status whose body is more than an error: the terms of a payment. */
const PAYMENT_REQUIRED = "402"

/** Separates what a list of a sentence holds. */
const joined = (parts: ReadonlyArray<Html>, separator: string) =>
  parts.map((part, index) => html`${index > 0 && separator}${part}`)

const authorization = ({ security }: Operation): Html => {
  const alternatives = security.map((it) => Object.keys(it))
  if (alternatives.every((names) => names.length === 0)) return html`<p>No credential.</p>`
  const shown = alternatives.map((names) =>
    names.length === 0
      ? html`none`
      : html`${joined(
          names.map((name) => html`<a href="/docs#${name}">${name}</a>`),
          " and "
        )}`
  )
  return html`<p>Credential: ${joined(shown, " or ")}.</p>`
}

const parameterItem = (it: Operation["parameters"][number], resolve: Resolve) => {
  const { description, in: place, name, required } = it
  const schema = schemaOf(it.schema)
  const absent = schema.default === undefined ? "" : `, ${JSON.stringify(schema.default)} without it`
  return html`<li>
    <code>${name}</code>
    <span class="hint"
      >${place}, ${typeText(schema, resolve)}, ${required === true ? "required" : "optional"}${absent}</span
    >
    ${description === undefined ? valueNote(schema, resolve) : described(description)}
  </li>`
}

const parameters = (operation: Operation, resolve: Resolve) =>
  operation.parameters.length > 0 &&
  html`<h3>Parameters</h3>
    <ul>
      ${operation.parameters.map((it) => parameterItem(resolve(it), resolve))}
    </ul>`

const body = ({ requestBody }: Operation, resolve: Resolve) =>
  requestBody !== undefined &&
  html`<h3>Body</h3>
    <p>
      ${requestBody.description ?? Object.keys(requestBody.content).join(" or ")},
      ${requestBody.required ? "required" : "optional"}
    </p>
    ${Object.values(requestBody.content).map(({ schema }) => schemaList(schemaOf(schema), resolve))}`

/** Names the headers of an answer. The index of the reference describes those that answers share. */
const headerNames = ({ headers = {} }: Responses[string]) => {
  const names = Object.entries(headers).map(([name, header]) =>
    "$ref" in header ? html`<a href="/docs#header-${name}">${name}</a>` : html`<code>${name}</code>`
  )
  return names.length > 0 && html`<p>Headers: ${joined(names, ", ")}</p>`
}

const content = ({ content = {}, description = "" }: Responses[string], resolve: Resolve) => {
  const types = Object.entries(content).map(([mediaType, { schema }]) => {
    const type = typeText(schema, resolve)
    return { mediaType, type, members: schemaList(schema, resolve) }
  })
  // The sentence about an answer without one is the name of its type.
  const isSentence = types.every(({ type }) => type !== description)
  return html`${isSentence && described(description)}
  ${joined(
    types.map(({ mediaType, type }) => html`${mediaType} <span class="hint">${type}</span>`),
    " or "
  )}
  ${types.map(
    ({ members }) =>
      members !== false &&
      html`<details>
        <summary>Members of the answer</summary>
        ${members}
      </details>`
  )}`
}

/** Returns the id of the entry of an error at the end of its page. */
export const errorId = (name: string): string => `error-${name.replaceAll(/[^a-z0-9_-]+/gi, "-")}`

const answers = ({ responses }: Operation, resolve: Resolve) => {
  const { errors, successes } = answersOf(responses, resolve)
  return html`<h3>Answers</h3>
    <ul>
      ${successes.map(
        ({ response, status }) =>
          html`<li><strong>${status}</strong> ${content(response, resolve)} ${headerNames(response)}</li>`
      )}
      ${errors.map(
        ({ kinds, response, status }) =>
          html`<li>
            <strong>${status}</strong>
            ${joined(
              kinds.map(errorName).map((name = "") => html`<a href="#${errorId(name)}">${name}</a>`),
              ", "
            )}
            ${status === PAYMENT_REQUIRED && content(response, resolve)}
          </li>`
      )}
    </ul>`
}

const example = (placed: Placed, { baseUrl, resolve }: Surroundings) => {
  const { successes } = answersOf(placed.operation.responses, resolve)
  const recorded = successes
    .flatMap(({ response }) => Object.values(response.content ?? {}))
    .find((it) => it.example !== undefined)
  return html`<h3>Example</h3>
    <pre><code>${curlText(placed, { baseUrl, resolve })}</code></pre>
    ${
      recorded !== undefined &&
      html`<p>The answer:</p>
        <pre><code>${JSON.stringify(recorded.example, null, 2)}</code></pre>`
    }`
}

/** Shows an operation whole: the request, its answers and a recorded example. Its id is the name of the operation. */
export const operationSection = (placed: Placed, surroundings: Surroundings): Html => {
  const { method, operation, path } = placed
  const { resolve } = surroundings
  return html`<section>
    <h2 id="${operation.operationId}">${operation.summary ?? operation.operationId}</h2>
    <p><code>${method.toUpperCase()} ${path}</code></p>
    ${operation.description !== undefined && html`<p>${described(operation.description)}</p>`}
    ${authorization(operation)} ${parameters(operation, resolve)} ${body(operation, resolve)}
    ${answers(operation, resolve)} ${example(placed, surroundings)}
  </section>`
}
