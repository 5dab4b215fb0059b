/** The facts that the README of an archive has. */
export interface ReadmeFacts {
  readonly service: string
  readonly handle: string
  readonly exportedAt: string
  /** Paths of the posts that have what Hugo takes for a shortcode. */
  readonly withShortcodes: ReadonlyArray<string>
}

/** Characters with which Hugo begins a shortcode. */
export const SHORTCODE = /\{\{[<%]/u

/** Returns the README of an archive. */
export const readmeOf = ({
  exportedAt,
  handle,
  service,
  withShortcodes
}: ReadmeFacts): string => `# Everything of @${handle}

From ${service}, ${exportedAt}.

| here | holds |
| --- | --- |
| \`posts/\` | your published posts: the part that everyone may read |
| \`drafts/\` | your drafts |
| \`paid/\` | the paid part of each post, by the slug of the post. **It is what you sell: do not put it on a public site** |
| \`media/\` | your pictures; posts refer to them as \`/media/…\` |
| \`attachments/\` | the ZIP files for your buyers, by the id of the post |
| \`native/\` | parts of posts that Markdown cannot say, as they were written |
| \`finance/\` | what you sold, were tipped and bought |
| \`account.json\` | everything else, as \`schema.json\` describes it; \`notes\` says what is missing |
| \`checksums.sha256\` | the SHA-256 of each file: \`sha256sum --check checksums.sha256\` |

Import the archive into any Pennypress, or build a site with it:

| | posts | pictures |
| --- | --- | --- |
| Hugo | \`posts/\` and \`drafts/\` to \`content/posts/\` | \`media/\` to \`static/media/\` |
| Jekyll | \`posts/\` to \`_posts/\`, \`drafts/\` to \`_drafts/\` | \`media/\` to \`media/\` |
| Astro | \`posts/\` and \`drafts/\` to \`src/content/posts/\` | \`media/\` to \`public/media/\` |
| Eleventy | \`posts/\` to \`posts/\`, with \`markdownTemplateEngine: false\` | \`media/\` as a passthrough copy |
${
  withShortcodes.length === 0
    ? ""
    : `
Hugo would run \`{{<\` and \`{{%\` in these posts. Write \`{{</*\` and \`*/>}}\` there:

${withShortcodes.map((path) => `- ${path}`).join("\n")}
`
}`
