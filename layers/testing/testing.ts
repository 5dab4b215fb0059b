import { Layer, Redacted } from "effect"
import { Aead, Digest, Kdf } from "effect/crypto"
import * as AccessTokensJose from "../crypto/AccessTokensJose.ts"
import * as PepperHmac from "../crypto/PepperHmac.ts"
import * as QuoteMacHmac from "../crypto/QuoteMacHmac.ts"
import * as SealerAesGcm from "../crypto/SealerAesGcm.ts"
import { ServerSecret } from "../crypto/ServerSecret.ts"
import * as WorkMakerNone from "../nano/WorkMakerNone.ts"
import * as ReadinessDatabase from "../postgres/ReadinessDatabase.ts"
import * as RateLimiterStoreMemory from "../rate-limits/RateLimiterStoreMemory.ts"
import * as AnswerBytesNode from "../web/AnswerBytesNode.ts"
import * as AssetsFiles from "../web/AssetsFiles.ts"
import * as ArchiveInspectorMemory from "./ArchiveInspectorMemory.ts"
import * as ImageDecoderMemory from "./ImageDecoderMemory.ts"
import * as ImportReaderMemory from "./ImportReaderMemory.ts"
import * as KnownMaterialMemory from "./KnownMaterialMemory.ts"
import * as MailerMemory from "./MailerMemory.ts"
import * as NanoLedgerMemory from "./NanoLedgerMemory.ts"
import * as ObjectStorageMemory from "./ObjectStorageMemory.ts"
import * as OffloadInline from "./OffloadInline.ts"
import * as OutsideHttpMemory from "./OutsideHttpMemory.ts"
import * as ScannerMemory from "./ScannerMemory.ts"
import * as SecureRandomSeeded from "./SecureRandomSeeded.ts"

const secret = ServerSecret.layer(Redacted.make("a secret of the tests alone"))

/**
 * The ports of the service without the world: mail, objects, counters, screening and the ledger in memory, ids and secrets from a
 * seed. The caller provides the database (`SqlClient`). Assemblies over one database need different seeds.
 */
export const ports = (seed = 1) =>
  Layer.mergeAll(
    AnswerBytesNode.layer,
    AssetsFiles.layer,
    ReadinessDatabase.layer,
    Layer.mergeAll(AccessTokensJose.layer, PepperHmac.layer, QuoteMacHmac.layer, SealerAesGcm.layer).pipe(
      Layer.provide(secret)
    ),
    ArchiveInspectorMemory.layer,
    ImageDecoderMemory.layer,
    ImportReaderMemory.layer(),
    KnownMaterialMemory.layer,
    MailerMemory.layer,
    NanoLedgerMemory.layer,
    ObjectStorageMemory.layer,
    RateLimiterStoreMemory.layer,
    OffloadInline.layer,
    OutsideHttpMemory.layer,
    ScannerMemory.layer,
    WorkMakerNone.layer
  ).pipe(
    Layer.provide([Aead.layerWebCrypto, Kdf.layerWebCrypto]),
    Layer.provideMerge(Digest.layerWebCrypto),
    Layer.provideMerge(SecureRandomSeeded.layer(seed))
  )
