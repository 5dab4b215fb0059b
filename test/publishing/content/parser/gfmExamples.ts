/** An example of a specification: Markdown and its rendering. */
export interface Example {
  readonly number: number
  readonly section: string
  readonly markdown: string
  readonly html: string
}

const HEAD = "<table>\n<thead>\n<tr>\n<th>abc</th>\n<th>def</th>\n</tr>\n</thead>"
const ROW = "<tr>\n<td>bar</td>\n<td>baz</td>\n</tr>"

const tables = (number: number, markdown: string, html: string): Example => ({
  number,
  section: "Tables (extension)",
  markdown,
  html
})

const strikethrough = (number: number, markdown: string, html: string): Example => ({
  number,
  section: "Strikethrough (extension)",
  markdown,
  html
})

/** The examples of GitHub Flavored Markdown 0.29 for its supported additions to CommonMark. */
export const gfmExamples: ReadonlyArray<Example> = [
  tables(
    198,
    "| foo | bar |\n| --- | --- |\n| baz | bim |\n",
    "<table>\n<thead>\n<tr>\n<th>foo</th>\n<th>bar</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>baz</td>\n<td>bim</td>\n</tr>\n</tbody>\n</table>\n"
  ),
  tables(
    199,
    "| abc | defghi |\n:-: | -----------:\nbar | baz\n",
    '<table>\n<thead>\n<tr>\n<th align="center">abc</th>\n<th align="right">defghi</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align="center">bar</td>\n<td align="right">baz</td>\n</tr>\n</tbody>\n</table>\n'
  ),
  tables(
    200,
    "| f\\|oo  |\n| ------ |\n| b `\\|` az |\n| b **\\|** im |\n",
    "<table>\n<thead>\n<tr>\n<th>f|oo</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>b <code>|</code> az</td>\n</tr>\n<tr>\n<td>b <strong>|</strong> im</td>\n</tr>\n</tbody>\n</table>\n"
  ),
  tables(
    201,
    "| abc | def |\n| --- | --- |\n| bar | baz |\n> bar\n",
    `${HEAD}\n<tbody>\n${ROW}\n</tbody>\n</table>\n<blockquote>\n<p>bar</p>\n</blockquote>\n`
  ),
  tables(
    202,
    "| abc | def |\n| --- | --- |\n| bar | baz |\nbar\n\nbar\n",
    `${HEAD}\n<tbody>\n${ROW}\n<tr>\n<td>bar</td>\n<td></td>\n</tr>\n</tbody>\n</table>\n<p>bar</p>\n`
  ),
  tables(203, "| abc | def |\n| --- |\n| bar |\n", "<p>| abc | def |\n| --- |\n| bar |</p>\n"),
  tables(
    204,
    "| abc | def |\n| --- | --- |\n| bar |\n| bar | baz | boo |\n",
    `${HEAD}\n<tbody>\n<tr>\n<td>bar</td>\n<td></td>\n</tr>\n${ROW}\n</tbody>\n</table>\n`
  ),
  tables(205, "| abc | def |\n| --- | --- |\n", `${HEAD}\n</table>\n`),
  strikethrough(
    491,
    "~~Hi~~ Hello, ~there~ world!\n",
    "<p><del>Hi</del> Hello, <del>there</del> world!</p>\n"
  ),
  strikethrough(492, "This ~~has a\n\nnew paragraph~~.\n", "<p>This ~~has a</p>\n<p>new paragraph~~.</p>\n"),
  strikethrough(493, "This will ~~~not~~~ strike.\n", "<p>This will ~~~not~~~ strike.</p>\n")
]

/** The examples of GitHub Flavored Markdown 0.29 for its unsupported additions. */
export const gfmRefused: ReadonlyArray<Pick<Example, "number" | "section" | "markdown">> = [
  { number: 279, section: "Task list items (extension)", markdown: "- [ ] foo\n- [x] bar\n" },
  {
    number: 280,
    section: "Task list items (extension)",
    markdown: "- [x] foo\n  - [ ] bar\n  - [x] baz\n- [ ] bim\n"
  },
  {
    number: 657,
    section: "Disallowed Raw HTML (extension)",
    markdown:
      "<strong> <title> <style> <em>\n\n<blockquote>\n  <xmp> is disallowed.  <XMP> is also disallowed.\n</blockquote>\n"
  }
]
