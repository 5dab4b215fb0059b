// 8,000 invented words, so that a search finds only the Posts that contain them.
const starts = "ba cre dor fli gar hes jun kal lom mir nor ost pel qua ras sto tur vel wan zim".split(" ")
const middles = "ba cu de fo gri hu ja ki la mo na pa re so ti va we xo ya zu".split(" ")
const ends = "b ck d ft g ld m nd p rk sk st t th v x bar den lor mit".split(" ")

/** Number of words. */
export const WORDS = starts.length * middles.length * ends.length

/** Returns the word of a rank. Rank 0 is the most frequent one. */
export const wordOf = (rank: number): string =>
  [starts[rank % 20], middles[Math.floor(rank / 20) % 20], ends[Math.floor(rank / 400)]].join("")

/** Writes `wordOf` in SQL. The lists are its parameters 1 to 3. */
export const wordInSql = (rank: string) =>
  `($1::text[])[1 + ${rank} % 20] || ($2::text[])[1 + (${rank} / 20) % 20] || ($3::text[])[1 + ${rank} / 400]`

/** The parameters of `wordInSql`. */
export const wordLists = [starts, middles, ends] as const

/** Makes numbers from 0 to 1, the same in every run. */
export const randomFrom = (seed: number) => () => {
  // mulberry32: small, and even enough for a load.
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
}

/** Writes a UUIDv7 of a moment in SQL, the same in every run. */
export const uuidV7 = (moment: string, name: string) => `(
  lpad(to_hex((extract(epoch from ${moment}) * 1000)::bigint), 12, '0') || '7' ||
  substr(md5(${name}), 1, 3) || '8' || substr(md5(${name}), 4, 15))::uuid`

/** Returns the secret digits of a number. */
export const padded = (n: number, length: number) => String(n).padStart(length, "0")
