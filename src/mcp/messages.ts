import { HttpServerResponse } from "effect/http"

/** Levels of objects and arrays in a message, at most. Encoders recurse, and a deeper message would end in a defect. */
const DEPTH_MAX = 32

/** Codes of JSON-RPC errors. */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  refused: -32000
} as const

export type Id = string | number

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A message that is refused, as it is answered. */
export interface Refusal {
  readonly code: number
  readonly message: string
  readonly data?: JsonObject
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** Returns true when objects and arrays of a JSON text nest deeper than the bound. */
export const isTooDeep = (json: string) => {
  let depth = 0
  for (let i = 0; i < json.length; i++) {
    const character = json[i]
    if (character === '"') {
      for (i++; i < json.length && json[i] !== '"'; i++) if (json[i] === "\\") i++
    } else if (character === "{" || character === "[") {
      if (++depth > DEPTH_MAX) return true
    } else if (character === "}" || character === "]") {
      depth--
    }
  }
  return false
}

const parse = (bytes: Uint8Array): { readonly text: string; readonly value: unknown } | undefined => {
  try {
    const text = utf8.decode(bytes)
    return { text, value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Reads one JSON-RPC message. Returns the refusal of any other body. */
export const messageOf = (
  bytes: Uint8Array
): { readonly text: string; readonly message: JsonObject } | Refusal => {
  const parsed = parse(bytes)
  if (parsed === undefined) return { code: RPC.parseError, message: "Send JSON in UTF-8" }
  const { text, value } = parsed
  if (isTooDeep(text)) {
    return { code: RPC.invalidRequest, message: `Send at most ${DEPTH_MAX} levels of objects and arrays` }
  }
  if (Array.isArray(value)) {
    return { code: RPC.invalidRequest, message: "Send one message, not a batch" }
  }
  if (!isObject(value) || value["jsonrpc"] !== "2.0") {
    return { code: RPC.invalidRequest, message: 'Send a JSON-RPC message with jsonrpc "2.0"' }
  }
  return { text, message: value }
}

/** Answers a message with its result. */
export const resultAnswer = (id: Id, result: unknown): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe({ jsonrpc: "2.0", id, result })

/** Answers a message, or a body that is none, with a JSON-RPC error. */
export const errorAnswer = (
  id: Id | null,
  error: Refusal,
  status = 200
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe({ jsonrpc: "2.0", id, error }, { status })

/** Answers a notification, or an answer that a client posted. */
export const accepted = HttpServerResponse.empty({ status: 202 })
