import { blockComments } from "./blocks.ts"

/** Parts of names that membership plugins give to what only some readers may see. */
const GUARDED =
  /(?<!re)member|restrict|premium|paywall|paid|protect|subscri|private|login|logged|content[-_](?:control|lock)/i

/** Parts of names of values by which any block may be hidden. */
const GUARDED_VALUE =
  /(?<!re)member|restrict|premium|paywall|paid|protect|subscri|logged|visibility|pmpro|^rcp/i

/** Parts of the names that styles have when they hide a block from some readers. */
const GUARDED_CLASS =
  /(?<!re)member|restrict|premium|paywall|paid|protect|subscribers?(?:[-_ "]|$)|private|logged|content[-_](?:control|lock)/i

/** Shortcodes with such a name that everyone sees: a form to subscribe or to sign in. They enclose nothing. */
const OPEN_SHORTCODES =
  /^(?:subscribe2?|login|loginout|(?:[\w-]+[-_])?(?:subscriptions?|subscribe|subscribers|login|registration|membership|private|premium)[-_](?:form|button|link|widget|count))$/i

/** Shortcodes that enclose what everyone sees: of WordPress itself, of code and style, and of builders of pages. */
const HARMLESS =
  /^(?:(?:wp_)?caption|gallery|audio|video|playlist|embed|code|sourcecode|source|php|javascript|js|css|html|xml|python|ruby|java|cpp|csharp|c|bash|sql|youtube|vimeo|tweet|twitter|instagram|soundcloud|spotify|gist|ted|dailymotion|googlevideo|facebook|latex|math|b|i|u|s|em|strong|url|img|image|figure|size|color|font|center|left|right|align|text|textblock|lead|h[1-6]|heading|title|list|list_item|icon_?list|icon|li|ul|ol|item|span|div|p|table|tr|td|th|tbody|thead|section|container|wrapper|content|block|rows?|cols?|columns?|(?:one|two|three|four|five)_(?:half|thirds?|fourths?|fifths?|sixths?|full|whole)(?:_last|_first)?|tabs?|tab_?groups?|tab_?item|accordions?|accordion[-_]?item|toggles?|collapse|spoiler|buttons?|box|boxes|alert|notice|note|info|tip|warning|success|error|callout|quote|blockquote|pullquote|dropcap|highlight|tooltip|footnote|ref|testimonials?|slider|slides?|carousel|map|card|cards|panel|well|divider|spacer|(?:vc|wpb|et_pb|fusion|av|su|themify|elementor|kc|fl_builder)_[\w-]+)(?:[-_]?\d{1,3}(?:[-_]\d{1,3})?)?$/i

/** Shortcodes of membership plugins whose names do not say so. */
const SHORTCODES =
  /^(?:s2if|mepr[-_]\w+|rcp[-_]\w+|ihc[-_]\w+|um[-_]\w+|pmpro\w*|wlm[-_]\w+|wlm|swpm\w*|wpmem\w*|arm_?if|arm_\w+|passster|ppwp\w*|groups_\w+|is_user_\w+|access|vip|accesscontent|wcm_\w+|memberful|memberpress\w*|leaky_\w+|newspack_\w+|patreon\w*|um_show_content|levels?|tier|wpfs\w*|eds?d_restrict|if_user\w*|visitor|guest|hide|hidden|lock|locked|locker|\w+[-_]lock(?:er)?)$/i

/** Blocks of membership plugins, whether they enclose something or not. */
const BLOCKS =
  /^(?:jetpack\/paywall|premium-content\/[\w-]+|memberful\/[\w-]+|pmpro\/[\w-]+|rcp\/[\w-]+|restrict-content(?:-pro)?\/[\w-]+|leaky-paywall\/[\w-]+|paid-member-subscriptions\/[\w-]+|memberpress\/[\w-]+|woocommerce-memberships\/[\w-]+|patreon\/[\w-]+|ultimate-member\/[\w-]+)/i

/** Blocks with such a name that everyone sees: a form to subscribe, a link to sign in, a button. */
const OPEN_BLOCKS =
  /^(?:jetpack\/subscriptions|jetpack\/subscriber-login|loginout|core\/loginout|jetpack\/recurring-payments)$/i

const CODE_NAME = /\[(\/?)([^\s<>&/[\]="']{1,100})(?=[\s\]/])/g

interface Wall {
  readonly at: number
  readonly word: string
}

/** Returns the first block that hides something. */
const blockWall = (content: string): Wall | undefined => {
  for (const { at, given, isSelfClosing, name } of blockComments(content)) {
    if (OPEN_BLOCKS.test(name)) continue
    const keys = [...given.matchAll(/"([\w-]{1,60})"\s{0,5}:/g)].map(([, key = ""]) => key)
    if (
      BLOCKS.test(name) ||
      (!isSelfClosing && GUARDED.test(name)) ||
      keys.some((key) => GUARDED_VALUE.test(key)) ||
      GUARDED_CLASS.test(/"className"\s{0,5}:\s{0,5}"([^"]{0,2000})/.exec(given)?.[1] ?? "")
    )
      return { at, word: name }
  }
  return undefined
}

/**
 * Returns the first shortcode that hides something: of the list, with such a name, or enclosing with a name that is not known.
 * `[[name]]` is text.
 */
const shortcodeWall = (content: string): Wall | undefined => {
  const closed = new Set(
    [...content.matchAll(CODE_NAME)]
      .filter(([, slash]) => slash === "/")
      .map(([, , name = ""]) => name.toLowerCase())
  )
  for (const { 1: slash, 2: name = "", index } of content.matchAll(CODE_NAME)) {
    if (slash === "/") continue
    const isEnclosing = closed.has(name.toLowerCase())
    const isWall =
      SHORTCODES.test(name) ||
      (GUARDED.test(name) ? isEnclosing || !OPEN_SHORTCODES.test(name) : isEnclosing && !HARMLESS.test(name))
    if (!isWall) continue
    const isText = content[index - 1] === "[" && content[content.indexOf("]", index) + 1] === "]"
    if (!isText) return { at: index, word: name }
  }
  return undefined
}

/** Returns the first place from which on a text of WordPress is for some readers only. */
export const wordpressWall = (content: string): Wall | undefined => {
  const walls = [blockWall(content), shortcodeWall(content)].filter((it) => it !== undefined)
  return walls.toSorted((a, b) => a.at - b.at)[0]
}
