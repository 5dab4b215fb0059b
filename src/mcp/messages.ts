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

const parse = (bytes: Uint8Array): { readonly value: unknown } | undefined => {
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes))
    return { value: Array.isArray(value) ? value.map(withoutNullArguments) : withoutNullArguments(value) }
  } catch {
    return undefined
  }
}

/** Messages of a batch, at most. */
const BATCH_MAX = 20

/** Returns true for a JSON-RPC message. */
export const isMessage = (value: unknown): value is JsonObject =>
  isObject(value) && value["jsonrpc"] === "2.0"

export const noMessage: Refusal = {
  code: RPC.invalidRequest,
  message: 'Send a JSON-RPC message with jsonrpc "2.0"'
}

/** Reads one JSON-RPC message, or a batch of them. Returns the refusal of any other body. */
export const messageOf = (
  bytes: Uint8Array
): { readonly message: JsonObject } | { readonly batch: ReadonlyArray<unknown> } | Refusal => {
  if (isTooDeep(bytes)) {
    return {
      code: RPC.invalidRequest,
      message: `Send at most ${JSON_LEVELS_MAX} levels of objects and arrays`
    }
  }
  const parsed = parse(bytes)
  if (parsed === undefined) return { code: RPC.parseError, message: "Send JSON in UTF-8" }
  const { value } = parsed
  if (Array.isArray(value)) {
    return value.length === 0 || value.length > BATCH_MAX
      ? { code: RPC.invalidRequest, message: `Send 1 to ${BATCH_MAX} messages in a batch` }
      : { batch: value }
  }
  return isMessage(value) ? { message: value } : noMessage
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
