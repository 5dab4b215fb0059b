import { Effect, Layer } from "effect"
import { type LeasedWork, worker } from "../../platform/work/worker.ts"
import { PageTexts } from "./PageTexts.ts"
import type { ClaimedText } from "./PageTextsRepo.ts"

/** Texts that one process renders at the same time: readers need the threads, too. */
const CONCURRENCY = 1
const LEASE_MILLIS = 60_000
/** Time between two texts, so that many that are due leave the machine to readers. */
const PAUSE = "20 millis"

/** The rendering of texts as leased work. */
export const pageTextWork = ({ claim, render }: PageTexts["Service"]): LeasedWork<ClaimedText> => ({
  kind: "page_texts",
  concurrency: CONCURRENCY,
  leaseMillis: LEASE_MILLIS,
  claim,
  run: (claimed) => Effect.andThen(render(claimed), Effect.sleep(PAUSE)),
  lost: "Texts of Posts are not rendered in advance",
  regained: "Texts of Posts are rendered in advance again"
})

/** Supervised fibers that render the texts of Posts. */
export const PageTextsWorker = Layer.effectDiscard(
  Effect.flatMap(PageTexts, (texts) => worker(pageTextWork(texts)))
)
