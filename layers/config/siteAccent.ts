import { Result } from "effect"
import type { SiteAccent } from "../../src/platform/ports/Settings.ts"

/** The backgrounds of text in each scheme, as the stylesheet has them. A test compares them. */
export const BACKGROUNDS = {
  light: ["#fffdf8", "#f6f0e6"],
  dark: ["#161412", "#211d19"]
} as const

/** The least contrast of text (WCAG 2.2, 1.4.3). */
const CONTRAST_MIN = 4.5

/** The least contrast of a colour that is made for dark pages: dark pages look dimmer than their ratios. */
const CONTRAST_MADE = 7

type Channels = readonly [number, number, number]

const channelsOf = (colour: string): Channels => {
  const channel = (at: number) => Number.parseInt(colour.slice(at, at + 2), 16)
  return [channel(1), channel(3), channel(5)]
}

const linear = (channel: number) => {
  const value = channel / 255
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}

const luminance = (colour: string) => {
  const [red, green, blue] = channelsOf(colour)
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

const contrast = (one: string, other: string) => {
  const [first, second] = [luminance(one), luminance(other)]
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05)
}

/** Returns the background of a scheme on which a colour is read worst, and the contrast there. */
const worstOf = (colour: string, scheme: keyof SiteAccent) => {
  const [paper, wash] = BACKGROUNDS[scheme]
  const [onPaper, onWash] = [contrast(colour, paper), contrast(colour, wash)]
  return onPaper < onWash ? { on: paper, ratio: onPaper } : { on: wash, ratio: onWash }
}

/** Returns the colour with so much white in it, 0 to 1. */
const whitened = (colour: string, white: number) =>
  `#${channelsOf(colour)
    .map((it) =>
      Math.round(it + (255 - it) * white)
        .toString(16)
        .padStart(2, "0")
    )
    .join("")}`

/** Returns a colour of the same hue for dark pages. */
const forDark = (colour: string) => {
  const shades = Array.from({ length: 20 }, (_, step) => whitened(colour, step / 20))
  return shades.find((it) => worstOf(it, "dark").ratio >= CONTRAST_MADE) ?? "#ffffff"
}

const COLOURS = /^(#[0-9a-f]{6})(?:\s*,\s*(#[0-9a-f]{6}))?$/

/** Reads a colour for light pages and, after a comma, one for dark pages. Without it, a lighter one of the same hue is made. */
export const siteAccentOf = (text: string): Result.Result<SiteAccent, string> => {
  const [, light, chosen] = COLOURS.exec(text.trim().toLowerCase()) ?? []
  if (light === undefined)
    return Result.fail("a colour such as #1d4ed8, or one for light and one for dark pages: #1d4ed8,#9db7ff")
  const accent = { light, dark: chosen ?? forDark(light) }
  for (const scheme of ["light", "dark"] as const) {
    const { on, ratio } = worstOf(accent[scheme], scheme)
    if (ratio < CONTRAST_MIN)
      return Result.fail(
        `a ${scheme === "light" ? "darker" : "lighter"} colour for ${scheme} pages: ${accent[scheme]} has a contrast of ${(Math.floor(ratio * 100) / 100).toFixed(2)}:1 on their background ${on}, and text needs 4.5:1`
      )
  }
  return Result.succeed(accent)
}
