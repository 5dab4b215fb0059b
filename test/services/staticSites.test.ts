import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { exported, unpacked } from "../engagement/account-export/archive.ts"
import { PAID_WORD, wholeAccount } from "../engagement/account-export/wholeAccount.ts"
import { database } from "../support/Database.ts"
import { service } from "../support/TestClient.ts"

/** Debian has two of the generators, which only the soak installs. */
const soaking = process.env["SOAK"] !== undefined

/** Text that generators would run, when they ran anything in the words of an author. */
const TEMPLATES = "Braces {{ site.title }} and {% raw %} stay."

/** Returns all files below a folder as one text. */
const everythingIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile() && /\.(html|xml|json)$/.test(it.name))
    .map((it) => readFileSync(join(it.parentPath, it.name), "utf8"))
    .join("\n")

/** Unpacks the export of an account with everything, without shortcodes of Hugo. */
const unpackedAccount = Effect.fnUntraced(function* (number: number) {
  const all = yield* wholeAccount(number)
  yield* all.author.patch(all.free.id, { freeContentMarkdown: TEMPLATES })
  yield* all.author.publish(all.picture.id, "publish-the-picture")
  const { account, bytes } = yield* exported(all.author.accessToken)
  const { folder } = yield* unpacked(bytes)
  const site = join(folder, "site")
  mkdirSync(site)
  const copy = (from: string, to: string) => cpSync(join(folder, from), join(site, to), { recursive: true })
  const write = (path: string, text: string) => {
    mkdirSync(join(site, path, ".."), { recursive: true })
    writeFileSync(join(site, path), text)
  }
  const published = account.posts.filter(({ status }) => status === "published")
  assert.lengthOf(published, 4)
  const picture = account.media.find(({ usedFor }) => usedFor === "inline")?.path ?? ""
  return { site, copy, write, picture, slugs: published.map(({ url }) => url?.split("/").at(-1) ?? "") }
})

/** Asserts that a site has every published post with its title, date and picture, and nothing that is sold. */
const assertSite = (output: string, picture: string) => {
  const text = everythingIn(output)
  for (const title of ["Free: a &quot;post&quot;", "Nine degrees", "A draft", "Open"])
    assert.match(text, new RegExp(title.replace(/&quot;/g, '(?:&quot;|&#34;|"|“|”|&ldquo;|&rdquo;)')), title)
  assert.include(text, "1970-01-01")
  assert.include(text, `src="/${picture}"`)
  assert.isTrue(existsSync(join(output, picture)), picture)
  assert.include(text, "{{ site.title }}")
  assert.include(text, "{% raw %}")
  assert.notInclude(text, PAID_WORD)
  assert.notInclude(text, "Gone again")
}

layer(service(database("test_services_static_sites")), { timeout: "2 minutes" })(
  "sites that other programs build from an export",
  (it) => {
    it.effect("Eleventy builds the posts unchanged", () =>
      Effect.gen(function* () {
        const { copy, picture, site, slugs, write } = yield* unpackedAccount(1)
        copy("posts", "posts")
        copy("media", "media")
        write(
          "eleventy.config.mjs",
          `export default (config) => {
            config.addPassthroughCopy("media")
            return { markdownTemplateEngine: false }
          }`
        )
        write("posts/posts.11tydata.json", '{"tags": "post", "layout": "post.njk"}')
        write("posts/posts.11tydata.mjs", 'export default { permalink: ({ slug }) => "/" + slug + "/" }')
        write(
          "_includes/post.njk",
          '<h1>{{ title }}</h1><time>{{ date.toISOString() }}</time><img src="{{ image }}">{{ content | safe }}'
        )
        execFileSync(
          process.execPath,
          [
            join(process.cwd(), "node_modules/@11ty/eleventy/cmd.cjs"),
            "--config=eleventy.config.mjs",
            "--output=_site",
            "--quiet"
          ],
          { cwd: site, stdio: ["ignore", "pipe", "pipe"] }
        )
        const output = join(site, "_site")
        for (const slug of slugs) assert.isTrue(existsSync(join(output, slug, "index.html")), slug)
        assertSite(output, picture)
      }).pipe(Effect.scoped)
    )

    it.effect.runIf(soaking)("Hugo builds the posts unchanged, without the drafts", () =>
      Effect.gen(function* () {
        const { copy, picture, site, slugs, write } = yield* unpackedAccount(11)
        copy("posts", "content/posts")
        copy("drafts", "content/posts")
        copy("media", "static/media")
        write("config.toml", 'baseURL = "https://site.test/"\ntitle = "A site"\n')
        write("layouts/_default/list.html", "{{ range .Pages }}{{ .Title }}{{ end }}")
        write(
          "layouts/_default/single.html",
          `<h1>{{ .Title }}</h1><time>{{ .Date.Format "2006-01-02" }}</time><img src="{{ .Params.image }}">{{ .Content }}`
        )
        execFileSync("hugo", ["--destination", "public"], { cwd: site, stdio: ["ignore", "pipe", "pipe"] })
        const output = join(site, "public")
        for (const slug of slugs) assert.isTrue(existsSync(join(output, "posts", slug, "index.html")), slug)
        assertSite(output, picture)
      }).pipe(Effect.scoped)
    )

    it.effect.runIf(soaking)("Jekyll builds the posts unchanged, without the drafts", () =>
      Effect.gen(function* () {
        const { copy, picture, site, slugs, write } = yield* unpackedAccount(21)
        copy("posts", "_posts")
        copy("drafts", "_drafts")
        copy("media", "media")
        write(
          "_config.yml",
          'title: A site\npermalink: /:slug/\ndefaults: [{scope: {path: ""}, values: {layout: post}}]\n'
        )
        write(
          "_layouts/post.html",
          '<h1>{{ page.title }}</h1><time>{{ page.date | date_to_xmlschema }}</time><img src="{{ page.image }}">{{ content }}'
        )
        execFileSync("jekyll", ["build"], { cwd: site, stdio: ["ignore", "pipe", "pipe"] })
        const output = join(site, "_site")
        for (const slug of slugs) assert.isTrue(existsSync(join(output, slug, "index.html")), slug)
        assertSite(output, picture)
      }).pipe(Effect.scoped)
    )
  }
)
