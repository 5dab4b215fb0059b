import { HttpServerResponse } from "effect/http"
import { isTooDeep, JSON_LEVELS_MAX } from "../../schemas/platform/jsonBounds.ts"
import { withoutNullArguments } from "./nullArguments.ts"

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

const parse = (bytes: Uint8Array): { readonly text: string; readonly value: unknown } | undefined => {
  try {
    const text = utf8.decode(bytes)
    const value: unknown = JSON.parse(text)
    const cleaned = withoutNullArguments(value)
    return { text: cleaned === value ? text : JSON.stringify(cleaned), value: cleaned }
  } catch {
    return undefined
  }
}

/** Reads one JSON-RPC message. Returns the refusal of any other body. */
export const messageOf = (
  bytes: Uint8Array
): { readonly text: string; readonly message: JsonObject } | Refusal => {
  if (isTooDeep(bytes)) {
    return {
      code: RPC.invalidRequest,
      message: `Send at most ${JSON_LEVELS_MAX} levels of objects and arrays`
    }
  }
  const parsed = parse(bytes)
  if (parsed === undefined) return { code: RPC.parseError, message: "Send JSON in UTF-8" }
  const { text, value } = parsed
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
