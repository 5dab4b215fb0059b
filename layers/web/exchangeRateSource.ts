import { Option } from "effect"

/** A rate that the operator set, or the document that has it. */
type ExchangeRateSource =
  | { readonly perXno: number; readonly currency: string }
  | { readonly url: string; readonly pointer: string; readonly currency: string }

const FIXED = /^(\d{1,9}(?:\.\d{1,12})?) ([A-Z]{3})$/
const FETCHED = /^(https:\/\/[^\s#@]+)#(\/\S*) ([A-Z]{3})$/

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"))

/** Reads the source of a rate: `0.85 USD`, or `https://…#/pointer USD` with a JSON Pointer as the fragment. */
export const exchangeRateSourceOf = (text: string): Option.Option<ExchangeRateSource> => {
  const [, number, currency = ""] = FIXED.exec(text) ?? []
  if (number !== undefined)
    return Number(number) > 0 && currencies.has(currency)
      ? Option.some({ perXno: Number(number), currency })
      : Option.none()
  const [, url = "", pointer = "", named = ""] = FETCHED.exec(text) ?? []
  return URL.canParse(url) && currencies.has(named)
    ? Option.some({ url, pointer, currency: named })
    : Option.none()
}
