import { renderSVG } from "uqr"
import type { NanoAddress } from "../../../schemas/platform/Nano.ts"

/** Returns a payment as wallets read it. */
export const paymentUri = (payTo: NanoAddress, amountRaw: bigint): string =>
  `nano:${payTo}?amount=${amountRaw}`

/** Light modules around the code, which scanners need. */
const QUIET_ZONE = 4

/** Draws a text as a QR code in SVG. */
export const qrSvgOf = (text: string): string => renderSVG(text, { ecc: "M", border: QUIET_ZONE })
