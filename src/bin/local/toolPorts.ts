import { join } from "node:path"
import { Effect, Layer } from "effect"
import * as ArchiveZip from "../../../layers/archives/ArchiveZip.ts"
import * as BrowserNode from "../../../layers/local/BrowserNode.ts"
import * as LocalFilesNode from "../../../layers/local/LocalFilesNode.ts"
import * as NanoProviderRpc from "../../../layers/nano/NanoProviderRpc.ts"
import { StateStore } from "../../mcp/local/ports/StateStore.ts"

/**
 * The files, the archives, the browser and the node that tools use. Files are uploaded from these directories; without any, from
 * `files` in the state directory.
 */
export const toolPorts = (roots: ReadonlyArray<string>) =>
  Layer.mergeAll(
    ArchiveZip.layer,
    BrowserNode.layer,
    NanoProviderRpc.layer,
    Layer.unwrap(
      Effect.map(StateStore, ({ directory }) =>
        LocalFilesNode.layer({
          roots: roots.length === 0 ? [join(directory, "files")] : roots,
          downloads: join(directory, "downloads")
        })
      )
    )
  )
