import * as fc from "fast-check"

/** Makes every run play the same random cases. `SEED=n npm test` plays others. */
fc.configureGlobal({ seed: Number(process.env["SEED"] ?? 20_261_123) })
