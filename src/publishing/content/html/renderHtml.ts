import { rootOf } from "../parser/rootOf.ts"
import { htmlOf } from "./safeHtml.ts"

/**
 * Renders a section of Markdown as HTML that is safe within any page or feed. It has the elements of Markdown and no
 * others. `url` is the address of its Post: relative links and images become absolute, and links to a heading lead to it
 * on the page of the Post. Links lead to the web, to `mailto:`, `tel:` and `nano:` URLs, with `rel="nofollow ugc noopener"`;
 * images come from the web. Other links, which no author can save, become their text, other images their description, and
 * HTML becomes text. Without `url`, so do relative ones. A text that is too complex for the parser, which no Post has,
 * becomes one paragraph. Takes a few milliseconds for 10,000 characters.
 */
export const renderHtml = (source: string, url?: string): string => htmlOf(rootOf(source), url)
