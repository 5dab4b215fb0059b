import { type Marks, type Nodes, paragraph, textNode, linkNode } from "./nodes.ts"

const hostOf = (url: string) => URL.parse(url)?.hostname.replace(/^www\./, "") ?? ""

/** Players, with the address of the page that shows the same. */
const PLAYERS: ReadonlyArray<readonly [player: RegExp, page: (id: string) => string]> = [
  [
    /^https?:\/\/(?:www\.)?youtube(?:-nocookie)?\.com\/(?:embed|v|shorts)\/([\w-]{6,20})/i,
    (id) => `https://www.youtube.com/watch?v=${id}`
  ],
  [/^https?:\/\/player\.vimeo\.com\/video\/(\d+)/i, (id) => `https://vimeo.com/${id}`],
  [
    /^https?:\/\/open\.spotify\.com\/embed(?:-podcast)?\/([a-z]+\/\w+)/i,
    (id) => `https://open.spotify.com/${id}`
  ],
  [
    /^https?:\/\/(?:www\.)?dailymotion\.com\/embed\/video\/(\w+)/i,
    (id) => `https://www.dailymotion.com/video/${id}`
  ],
  [/^https?:\/\/embed\.ted\.com\/talks\/([\w/]+)/i, (id) => `https://www.ted.com/talks/${id}`],
  [/^https?:\/\/codepen\.io\/([\w-]+\/)embed\//i, (id) => `https://codepen.io/${id}`],
  [/^https?:\/\/w\.soundcloud\.com\/player\/?\?(?:[^#]*&)?url=([^&#]+)/i, (id) => decoded(id)],
  [
    /^https?:\/\/(?:www\.)?facebook\.com\/plugins\/(?:post|video)\.php\?(?:[^#]*&)?href=([^&#]+)/i,
    (id) => decoded(id)
  ]
]

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the address of the page whose player or embed this is, or the same address. */
export const pageOfEmbed = (url: string): string => {
  const address = url.startsWith("//") ? `https:${url}` : url
  if (address.length > 2048) return address
  for (const [player, page] of PLAYERS) {
    const id = player.exec(address)?.[1]
    if (id !== undefined) return page(id)
  }
  return address
}

/** Makes the link that stands for an embedded page: with its title, else its host. */
export const embedLink = (url: string, title = "", marks: Marks = []): Nodes => {
  const page = pageOfEmbed(url.trim())
  const words = title.replaceAll(/\s+/g, " ").trim() || hostOf(page) || page
  return /^https?:\/\//i.test(page) ? [linkNode(words, page, marks)] : [textNode(words, marks)]
}

export const embedParagraph = (url: string, title = ""): Nodes => [paragraph(embedLink(url, title))]
