import type { Example } from "./platform/openapi.ts"

/**
 * The example of each operation in the OpenAPI document, by its operationId. A test plays them against the service;
 * `RECORD_EXAMPLES=1 npx vitest run test/operations/examples.test.ts --config test/vitest.config.ts` writes this file.
 */
export const examples: Readonly<Record<string, Example>> = {
  sessionsLogout: {
    status: 200,
    response: {
      loggedOut: true,
      scope: "local",
      accessTokenValidUntilExpiry: true
    }
  },
  sessionsChallengeWallet: {
    request: {
      body: {
        account: "nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951"
      }
    },
    status: 201,
    response: {
      challengeId: "0190f3c2-7b1e-7c4a-9d52-000000000001",
      account: "nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951",
      message:
        "press.test wants you to sign in with your Nano account:\nnano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951\n\nSign in to Pennypress. This sends no transaction and costs nothing.\n\nURI: https://press.test/api/v1/auth/nano/claim\nVersion: 1\nChain ID: nano:mainnet\nNonce: 0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f\nIssued At: 2026-11-21T05:00:00.000000Z\nExpiration Time: 2026-11-21T05:05:00.000000Z\nRequest ID: 0190f3c2-7b1e-7c4a-9d52-000000000001",
      signatureFormats: ["noms"],
      issuedAt: "2026-11-21T05:00:00.000000Z",
      expiresAt: "2026-11-21T05:05:00.000000Z"
    }
  },
  sessionsClaimWallet: {
    request: {
      body: {
        challengeId: "0190f3c2-7b1e-7c4a-9d52-000000000001",
        account: "nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951",
        signature:
          "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"
      }
    },
    status: 200,
    response: {
      accessToken: "eyJhbGciOiJFZERTQSIsImtpZCI6IjEifQ.eyJzdWIiOiIwMTkwIn0.c2lnbmF0dXJl",
      refreshToken: "ppw_0123456789abcdefghijklmnopqrstuvwxyz"
    }
  },
  sessionsLogin: {
    request: {
      body: {
        email: "bea@example.org"
      }
    },
    status: 202,
    response: {
      message:
        "If this address belongs to an account, a code is on its way to it. The code is good for ten minutes; ask for another one after a minute at the earliest."
    }
  },
  sessionsVerify: {
    request: {
      body: {
        email: "bea@example.org",
        code: "482913"
      }
    },
    status: 200,
    response: {
      accessToken: "eyJhbGciOiJFZERTQSIsImtpZCI6IjEifQ.eyJzdWIiOiIwMTkwIn0.c2lnbmF0dXJl",
      refreshToken: "ppe_0123456789abcdefghijklmnopqrstuvwxyz"
    }
  },
  sessionsRefresh: {
    request: {
      body: {
        refreshToken: "ppe_0123456789abcdefghijklmnopqrstuvwxyz"
      }
    },
    status: 200,
    response: {
      accessToken: "eyJhbGciOiJFZERTQSIsImtpZCI6IjEifQ.eyJzdWIiOiIwMTkwIn0.c2lnbmF0dXJl",
      refreshToken: "ppe_0123456789abcdefghijklmnopqrstuvwxyz"
    }
  },
  sessionsKeySet: {
    status: 200,
    response: {
      keys: [
        {
          kty: "OKP",
          crv: "Ed25519",
          alg: "EdDSA",
          use: "sig",
          kid: "1",
          x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
        }
      ]
    }
  },
  registrationsIssueKey: {
    request: {
      params: {
        registrationId: "0190f3c2-7b1e-7c4a-9d52-000000000009"
      },
      body: {
        handle: "bea_b"
      }
    },
    status: 201,
    response: {
      profile: {
        id: "0190f3c2-7b1e-7c4a-9d52-000000000010",
        name: "New User",
        handle: "bea_b"
      },
      apiKey: {
        id: "0190f3c2-7b1e-7c4a-9d52-000000000011",
        keyId: "0123456789abcdef",
        scope: "posts:publish",
        label: null,
        createdAt: "2026-11-21T05:02:00.000000Z",
        expiresAt: "2027-02-19T05:02:00.000000Z",
        revokedAt: null
      },
      key: "ppk_0123456789abcdef_secret-that-is-shown-once"
    }
  },
  registrationsRegister: {
    request: {
      headers: {
        "Idempotency-Key": "3f2b8c1e-7d65-4a90-9b1f-2c4d6e8f0a12"
      },
      body: {
        email: "bea@example.org"
      }
    },
    status: 202,
    response: {
      registrationId: "0190f3c2-7b1e-7c4a-9d52-000000000009",
      status: "pending",
      email: "bea@example.org",
      expiresAt: "2026-11-21T05:12:00.000000Z",
      resendAfterSeconds: 60
    }
  },
  registrationsVerify: {
    request: {
      params: {
        registrationId: "0190f3c2-7b1e-7c4a-9d52-000000000009"
      },
      body: {
        code: "482913"
      }
    },
    status: 200,
    response: {
      accessToken: "eyJhbGciOiJFZERTQSIsImtpZCI6IjEifQ.eyJzdWIiOiIwMTkwIn0.c2lnbmF0dXJl",
      refreshToken: "ppe_0123456789abcdefghijklmnopqrstuvwxyz"
    }
  },
  apiKeysList: {
    status: 200,
    response: {
      keys: [
        {
          id: "0190f3c2-7b1e-7c4a-9d52-000000000002",
          keyId: "0123456789abcdef",
          scope: "posts:publish",
          label: "laptop",
          createdAt: "2026-11-21T05:02:00.000000Z",
          expiresAt: "2027-02-19T05:02:00.000000Z",
          revokedAt: "2026-11-21T05:02:00.000000Z"
        }
      ]
    }
  },
  apiKeysIssue: {
    request: {
      headers: {
        "Idempotency-Key": "laptop-1"
      },
      body: {
        label: "laptop"
      }
    },
    status: 200,
    response: {
      apiKey: {
        id: "0190f3c2-7b1e-7c4a-9d52-000000000002",
        keyId: "0123456789abcdef",
        scope: "posts:publish",
        label: "laptop",
        createdAt: "2026-11-21T05:02:00.000000Z",
        expiresAt: "2027-02-19T05:02:00.000000Z",
        revokedAt: null
      },
      key: "ppk_0123456789abcdef_secret-that-is-shown-once"
    }
  },
  apiKeysRotate: {
    request: {
      params: {
        keyId: "0123456789abcdef"
      },
      body: {
        label: "laptop"
      }
    },
    status: 200,
    response: {
      apiKey: {
        id: "0190f3c2-7b1e-7c4a-9d52-000000000003",
        keyId: "0123456789abcdef",
        scope: "posts:publish",
        label: "laptop",
        createdAt: "2026-11-21T05:02:00.000000Z",
        expiresAt: "2027-02-19T05:02:00.000000Z",
        revokedAt: null
      },
      key: "ppk_0123456789abcdef_secret-that-is-shown-once"
    }
  },
  apiKeysRevoke: {
    request: {
      params: {
        keyId: "0123456789abcdef"
      }
    },
    status: 200,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000002",
      keyId: "0123456789abcdef",
      scope: "posts:publish",
      label: "laptop",
      createdAt: "2026-11-21T05:02:00.000000Z",
      expiresAt: "2027-02-19T05:02:00.000000Z",
      revokedAt: "2026-11-21T05:02:00.000000Z"
    }
  },
  accountEmailRead: {
    status: 200,
    response: {
      email: "ada@example.org",
      emailVerified: true,
      pendingEmail: null,
      status: "none"
    }
  },
  accountEmailChange: {
    request: {
      body: {
        email: "ada@example.org"
      }
    },
    status: 200,
    response: {
      status: "confirmation_sent",
      pendingEmail: "ada@example.org"
    }
  },
  accountEmailResend: {
    status: 200,
    response: {
      status: "resent",
      pendingEmail: "ada@example.org"
    }
  },
  accountEmailVerify: {
    request: {
      body: {
        code: "482913"
      }
    },
    status: 200,
    response: {
      status: "verified",
      email: "ada@example.org"
    }
  },
  accountWalletChallenge: {
    request: {
      body: {
        account: "nano_3qgmh14nwztqw4wmcdzy4xpqeejey68chx6nciczwn9abji7ihhum9qtpmdr"
      }
    },
    status: 201,
    response: {
      challengeId: "0190f3c2-7b1e-7c4a-9d52-000000000012",
      account: "nano_3qgmh14nwztqw4wmcdzy4xpqeejey68chx6nciczwn9abji7ihhum9qtpmdr",
      message:
        "press.test wants you to sign in with your Nano account:\nnano_3qgmh14nwztqw4wmcdzy4xpqeejey68chx6nciczwn9abji7ihhum9qtpmdr\n\nLink this wallet to the Pennypress account 0190f3c2-7b1e-7c4a-9d52-000000000010, which it then signs in to. This sends no transaction and costs nothing.\n\nURI: https://press.test/api/v1/account/wallet\nVersion: 1\nChain ID: nano:mainnet\nNonce: 0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f\nIssued At: 2026-11-21T05:04:00.000000Z\nExpiration Time: 2026-11-21T05:09:00.000000Z\nRequest ID: 0190f3c2-7b1e-7c4a-9d52-000000000012",
      signatureFormats: ["noms"],
      issuedAt: "2026-11-21T05:04:00.000000Z",
      expiresAt: "2026-11-21T05:09:00.000000Z"
    }
  },
  accountWalletLink: {
    request: {
      body: {
        challengeId: "0190f3c2-7b1e-7c4a-9d52-000000000012",
        account: "nano_3qgmh14nwztqw4wmcdzy4xpqeejey68chx6nciczwn9abji7ihhum9qtpmdr",
        signature:
          "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"
      }
    },
    status: 200,
    response: {
      walletAddress: "nano_3qgmh14nwztqw4wmcdzy4xpqeejey68chx6nciczwn9abji7ihhum9qtpmdr"
    }
  },
  meRead: {
    status: 200,
    response: {
      owner: {
        id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
        name: "Ada Byron",
        handle: "ada_b",
        authorKind: "human",
        profileUrl: "https://press.test/@ada_b",
        createdAt: "2026-11-21T05:00:00.000000Z"
      },
      authority: {
        account: false,
        publish: true,
        read: false
      },
      limits: {
        activeKeys: {
          used: 1,
          max: 5
        },
        openUploads: {
          used: 0,
          max: 10
        },
        transfersToday: {
          used: 0,
          max: 100
        },
        storedBytes: {
          used: 0,
          max: 1073741824
        }
      },
      publication: {
        ready: true,
        blockers: []
      },
      credential: {
        kind: "publishing_key",
        method: null,
        scopes: ["posts:publish"],
        keyId: "0123456789abcdef",
        label: "laptop",
        expiresAt: "2027-02-19T05:02:00.000000Z"
      },
      identity: {
        durable: true,
        walletLinked: true,
        emailVerified: true
      },
      payout: {
        configured: true,
        addressHint: "nano_3kdb…n951"
      }
    }
  },
  payoutAddressRead: {
    status: 200,
    response: {
      payoutAddress: "nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951",
      revision: 1,
      updatedAt: "2026-11-21T05:00:00.000000Z"
    }
  },
  payoutAddressSave: {
    request: {
      body: {
        payoutAddress: "nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951"
      }
    },
    status: 200,
    response: {
      payoutAddress: "nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951"
    }
  },
  profileRead: {
    status: 200,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
      name: "Ada Byron",
      handle: "ada_b",
      bio: "Writes about engines.",
      location: null,
      socialLinks: [],
      pinnedPostId: null,
      avatarUrl: null,
      headerImageUrl: null,
      authorKind: "human",
      tipping: {
        buttonLabel: "Tip author",
        amounts: [0.25, 0.5, 1]
      }
    }
  },
  profileUpdate: {
    request: {
      body: {
        name: "Ada Byron",
        handle: "ada_b",
        bio: "Writes about engines."
      }
    },
    status: 200,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
      name: "Ada Byron",
      handle: "ada_b",
      bio: "Writes about engines.",
      location: null,
      socialLinks: [],
      pinnedPostId: null,
      avatarUrl: null,
      headerImageUrl: null,
      authorKind: "human",
      tipping: {
        buttonLabel: "Tip author",
        amounts: [0.25, 0.5, 1]
      }
    }
  },
  profileDeclareAgent: {
    status: 200,
    response: {
      authorKind: "agent"
    }
  },
  postsList: {
    request: {
      query: {
        status: "published",
        page: 1,
        per_page: 20
      }
    },
    status: 200,
    response: {
      data: [
        {
          id: "0190f3c2-7b1e-7c4a-9d52-000000000005",
          status: "published",
          title: "On pennies",
          description: "What a penny buys",
          paidContentMarkdown: null,
          freeContentMarkdown: "A penny for your **thoughts**.",
          enablePaywall: false,
          priceRaw: null,
          primaryCategoryId: 3,
          secondaryCategoryId: null,
          slug: "on-pennies",
          url: "https://press.test/@ada_b/on-pennies",
          canonicalUrl: null,
          language: "en",
          commentsEnabled: true,
          ogTitle: null,
          ogDescription: null,
          ogImage: null,
          ogImageEffective: null,
          contentEditability: {
            free: {
              editable: true,
              unsupportedFeatures: []
            },
            paid: {
              editable: true,
              unsupportedFeatures: []
            }
          },
          creationMethod: "human_written",
          creationDetails: null,
          creationAttested: true,
          attachments: [],
          createdAt: "2026-11-21T05:02:00.000000Z",
          updatedAt: "2026-11-21T05:02:00.000002Z",
          publishedAt: "2026-11-21T05:02:00.000000Z"
        }
      ],
      total: 1,
      page: 1,
      perPage: 20
    }
  },
  postsCreate: {
    request: {
      headers: {
        "Idempotency-Key": "draft-1"
      },
      body: {
        title: "On pennies",
        description: "What a penny buys",
        freeContentMarkdown: "A penny for your **thoughts**.",
        primaryCategoryId: 3,
        creationMethod: "human_written",
        creationAttested: true
      }
    },
    status: 201,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000005",
      status: "draft",
      title: "On pennies",
      description: "What a penny buys",
      paidContentMarkdown: null,
      freeContentMarkdown: "A penny for your **thoughts**.",
      enablePaywall: false,
      priceRaw: null,
      primaryCategoryId: 3,
      secondaryCategoryId: null,
      slug: "on-pennies",
      url: null,
      canonicalUrl: null,
      language: "en",
      commentsEnabled: true,
      ogTitle: null,
      ogDescription: null,
      ogImage: null,
      ogImageEffective: null,
      contentEditability: {
        free: {
          editable: true,
          unsupportedFeatures: []
        },
        paid: {
          editable: true,
          unsupportedFeatures: []
        }
      },
      creationMethod: "human_written",
      creationDetails: null,
      creationAttested: true,
      attachments: [],
      createdAt: "2026-11-21T05:02:00.000000Z",
      updatedAt: "2026-11-21T05:02:00.000000Z",
      publishedAt: null
    }
  },
  postsRead: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005"
      }
    },
    status: 200,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000005",
      status: "draft",
      title: "On pennies",
      description: "What a penny buys",
      paidContentMarkdown: null,
      freeContentMarkdown: "A penny for your **thoughts**.",
      enablePaywall: false,
      priceRaw: null,
      primaryCategoryId: 3,
      secondaryCategoryId: null,
      slug: "on-pennies",
      url: null,
      canonicalUrl: null,
      language: "en",
      commentsEnabled: true,
      ogTitle: null,
      ogDescription: null,
      ogImage: null,
      ogImageEffective: null,
      contentEditability: {
        free: {
          editable: true,
          unsupportedFeatures: []
        },
        paid: {
          editable: true,
          unsupportedFeatures: []
        }
      },
      creationMethod: "human_written",
      creationDetails: null,
      creationAttested: true,
      attachments: [],
      createdAt: "2026-11-21T05:02:00.000000Z",
      updatedAt: "2026-11-21T05:02:00.000000Z",
      publishedAt: null
    }
  },
  postsUpdate: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005"
      },
      headers: {
        "X-Post-Revision": "2026-11-21T05:00:00.000000Z"
      },
      body: {
        slug: "on-pennies"
      }
    },
    status: 200,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000005",
      status: "draft",
      title: "On pennies",
      description: "What a penny buys",
      paidContentMarkdown: null,
      freeContentMarkdown: "A penny for your **thoughts**.",
      enablePaywall: false,
      priceRaw: null,
      primaryCategoryId: 3,
      secondaryCategoryId: null,
      slug: "on-pennies",
      url: null,
      canonicalUrl: null,
      language: "en",
      commentsEnabled: true,
      ogTitle: null,
      ogDescription: null,
      ogImage: null,
      ogImageEffective: null,
      contentEditability: {
        free: {
          editable: true,
          unsupportedFeatures: []
        },
        paid: {
          editable: true,
          unsupportedFeatures: []
        }
      },
      creationMethod: "human_written",
      creationDetails: null,
      creationAttested: true,
      attachments: [],
      createdAt: "2026-11-21T05:02:00.000000Z",
      updatedAt: "2026-11-21T05:02:00.000001Z",
      publishedAt: null
    }
  },
  postsRemove: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005"
      }
    },
    status: 204
  },
  postsPublish: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005"
      },
      headers: {
        "Idempotency-Key": "publish-1"
      }
    },
    status: 200,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000005",
      slug: "on-pennies",
      status: "published",
      url: "https://press.test/@ada_b/on-pennies",
      publishResult: "published",
      stateChanged: true,
      publishedAt: "2026-11-21T05:02:00.000000Z"
    }
  },
  postsUnpublish: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005"
      },
      headers: {
        "Idempotency-Key": "unpublish-1"
      }
    },
    status: 200,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000005",
      slug: "on-pennies",
      status: "draft",
      url: null,
      publishedAt: null,
      publishResult: "unpublished",
      stateChanged: true
    }
  },
  uploadsRemoveHeader: {
    status: 200,
    response: {
      headerImageUrl: null
    }
  },
  uploadsHeader: {
    request: {
      headers: {
        "Idempotency-Key": "header-1"
      }
    },
    status: 202,
    response: {
      safety: {
        operationId: "0190f3c2-7b1e-7c4a-9d52-000000000008",
        targetKind: "header",
        targetId: "0190f3c2-7b1e-7c4a-9d52-000000000004",
        targetKey: "",
        generation: 1,
        currentGeneration: 1,
        associated: true,
        desired: true,
        held: false,
        received: true,
        eligible: false,
        state: "queued",
        policyVersion: "2026-11-1",
        lastError: null,
        detail: null,
        retryAfterSeconds: 1,
        reuploadAllowed: false
      },
      publicUrl:
        "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000004/0190f3c2-7b1e-7c4a-9d52-000000000008.png",
      currentRevision: null,
      replayed: false,
      actions: {
        status: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000008",
        cancel: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000008",
        associate: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000008/associate"
      }
    }
  },
  uploadsList: {
    request: {
      query: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005"
      }
    },
    status: 200,
    response: {
      operations: [
        {
          safety: {
            operationId: "0190f3c2-7b1e-7c4a-9d52-000000000006",
            targetKind: "inline",
            targetId: "0190f3c2-7b1e-7c4a-9d52-000000000005",
            targetKey: "node-1",
            generation: 1,
            currentGeneration: 1,
            associated: false,
            desired: true,
            held: false,
            received: true,
            eligible: false,
            state: "queued",
            policyVersion: "2026-11-1",
            lastError: null,
            detail: null,
            retryAfterSeconds: 1,
            reuploadAllowed: false
          },
          publicUrl:
            "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000005/0190f3c2-7b1e-7c4a-9d52-000000000006.png",
          currentRevision: "2026-11-21T05:02:00.000000Z",
          replayed: false,
          actions: {
            status: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000006",
            cancel: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000006",
            associate: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000006/associate"
          }
        }
      ]
    }
  },
  uploadsStatus: {
    request: {
      params: {
        operationId: "0190f3c2-7b1e-7c4a-9d52-000000000006"
      }
    },
    status: 202,
    response: {
      safety: {
        operationId: "0190f3c2-7b1e-7c4a-9d52-000000000006",
        targetKind: "inline",
        targetId: "0190f3c2-7b1e-7c4a-9d52-000000000005",
        targetKey: "node-1",
        generation: 1,
        currentGeneration: 1,
        associated: false,
        desired: true,
        held: false,
        received: true,
        eligible: false,
        state: "queued",
        policyVersion: "2026-11-1",
        lastError: null,
        detail: null,
        retryAfterSeconds: 1,
        reuploadAllowed: false
      },
      publicUrl:
        "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000005/0190f3c2-7b1e-7c4a-9d52-000000000006.png",
      currentRevision: "2026-11-21T05:02:00.000000Z",
      replayed: false,
      actions: {
        status: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000006",
        cancel: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000006",
        associate: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000006/associate"
      }
    }
  },
  uploadsCancel: {
    request: {
      params: {
        operationId: "0190f3c2-7b1e-7c4a-9d52-000000000006"
      }
    },
    status: 200,
    response: {
      safety: {
        operationId: "0190f3c2-7b1e-7c4a-9d52-000000000006",
        targetKind: "inline",
        targetId: "0190f3c2-7b1e-7c4a-9d52-000000000005",
        targetKey: "node-1",
        generation: 1,
        currentGeneration: 1,
        associated: false,
        desired: false,
        held: false,
        received: true,
        eligible: false,
        state: "cancelled",
        policyVersion: "2026-11-1",
        lastError: null,
        detail: null,
        retryAfterSeconds: 0,
        reuploadAllowed: false
      },
      publicUrl: null,
      currentRevision: "2026-11-21T05:02:00.000000Z",
      replayed: false,
      actions: {
        status: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000006",
        cancel: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000006",
        associate: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000006/associate"
      }
    }
  },
  uploadsAssociate: {
    request: {
      params: {
        operationId: "0190f3c2-7b1e-7c4a-9d52-000000000006"
      }
    },
    status: 202,
    response: {
      safety: {
        operationId: "0190f3c2-7b1e-7c4a-9d52-000000000006",
        targetKind: "inline",
        targetId: "0190f3c2-7b1e-7c4a-9d52-000000000005",
        targetKey: "node-1",
        generation: 1,
        currentGeneration: 1,
        associated: false,
        desired: true,
        held: false,
        received: true,
        eligible: false,
        state: "queued",
        policyVersion: "2026-11-1",
        lastError: null,
        detail: null,
        retryAfterSeconds: 1,
        reuploadAllowed: false
      },
      publicUrl:
        "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000005/0190f3c2-7b1e-7c4a-9d52-000000000006.png",
      currentRevision: "2026-11-21T05:02:00.000000Z",
      replayed: false,
      actions: {
        status: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000006",
        cancel: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000006",
        associate: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000006/associate"
      }
    }
  },
  uploadsImage: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005"
      },
      headers: {
        "Idempotency-Key": "image-1",
        "X-Upload-Target-Key": "node-1",
        "X-Post-Revision": "2026-11-21T05:00:00.000000Z"
      }
    },
    status: 202,
    response: {
      safety: {
        operationId: "0190f3c2-7b1e-7c4a-9d52-000000000006",
        targetKind: "inline",
        targetId: "0190f3c2-7b1e-7c4a-9d52-000000000005",
        targetKey: "node-1",
        generation: 1,
        currentGeneration: 1,
        associated: false,
        desired: true,
        held: false,
        received: true,
        eligible: false,
        state: "queued",
        policyVersion: "2026-11-1",
        lastError: null,
        detail: null,
        retryAfterSeconds: 1,
        reuploadAllowed: false
      },
      publicUrl:
        "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000005/0190f3c2-7b1e-7c4a-9d52-000000000006.png",
      currentRevision: "2026-11-21T05:02:00.000000Z",
      replayed: false,
      actions: {
        status: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000006",
        cancel: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000006",
        associate: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000006/associate"
      }
    }
  },
  uploadsAvatar: {
    request: {
      headers: {
        "Idempotency-Key": "avatar-1"
      }
    },
    status: 202,
    response: {
      safety: {
        operationId: "0190f3c2-7b1e-7c4a-9d52-000000000007",
        targetKind: "avatar",
        targetId: "0190f3c2-7b1e-7c4a-9d52-000000000004",
        targetKey: "",
        generation: 1,
        currentGeneration: 1,
        associated: true,
        desired: true,
        held: false,
        received: true,
        eligible: false,
        state: "queued",
        policyVersion: "2026-11-1",
        lastError: null,
        detail: null,
        retryAfterSeconds: 1,
        reuploadAllowed: false
      },
      publicUrl:
        "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000004/0190f3c2-7b1e-7c4a-9d52-000000000007.png",
      currentRevision: null,
      replayed: false,
      actions: {
        status: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000007",
        cancel: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000007",
        associate: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000007/associate"
      }
    }
  },
  discoveryPosts: {
    request: {
      query: {
        q: "pennies",
        page: 1,
        per_page: 20
      }
    },
    status: 200,
    response: {
      data: [
        {
          id: "0190f3c2-7b1e-7c4a-9d52-000000000005",
          title: "On pennies",
          description: "What a penny buys",
          slug: "on-pennies",
          url: "https://press.test/@ada_b/on-pennies",
          enablePaywall: false,
          priceRaw: null,
          primaryCategoryId: 3,
          secondaryCategoryId: null,
          language: "en",
          ogImageEffective: null,
          creationMethod: "human_written",
          creationDetails: null,
          publishedAt: "2026-11-21T05:02:00.000000Z",
          updatedAt: "2026-11-21T05:02:00.000002Z",
          author: {
            id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
            name: "Ada Byron",
            handle: "ada_b",
            avatarUrl:
              "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000004/0190f3c2-7b1e-7c4a-9d52-000000000007.png",
            authorKind: "human"
          },
          counts: {
            comments: 0,
            reactions: 0,
            purchases: 0,
            tips: 0
          }
        }
      ],
      total: 1,
      page: 1,
      per_page: 20
    }
  },
  discoveryPost: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005"
      }
    },
    status: 200,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000005",
      title: "On pennies",
      description: "What a penny buys",
      slug: "on-pennies",
      url: "https://press.test/@ada_b/on-pennies",
      enablePaywall: false,
      priceRaw: null,
      primaryCategoryId: 3,
      secondaryCategoryId: null,
      language: "en",
      ogImageEffective: null,
      creationMethod: "human_written",
      creationDetails: null,
      publishedAt: "2026-11-21T05:02:00.000000Z",
      updatedAt: "2026-11-21T05:02:00.000002Z",
      author: {
        id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
        name: "Ada Byron",
        handle: "ada_b",
        avatarUrl:
          "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000004/0190f3c2-7b1e-7c4a-9d52-000000000007.png",
        authorKind: "human"
      },
      counts: {
        comments: 0,
        reactions: 0,
        purchases: 0,
        tips: 0
      },
      freeContentMarkdown: "A penny for your **thoughts**."
    }
  },
  discoveryPublicContent: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005"
      }
    },
    status: 200,
    response: {
      post: {
        id: "0190f3c2-7b1e-7c4a-9d52-000000000005",
        title: "On pennies",
        description: "What a penny buys",
        slug: "on-pennies",
        url: "https://press.test/@ada_b/on-pennies",
        enablePaywall: false,
        priceRaw: null,
        primaryCategoryId: 3,
        secondaryCategoryId: null,
        language: "en",
        ogImageEffective: null,
        creationMethod: "human_written",
        creationDetails: null,
        publishedAt: "2026-11-21T05:02:00.000000Z",
        updatedAt: "2026-11-21T05:02:00.000002Z",
        author: {
          id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
          name: "Ada Byron",
          handle: "ada_b",
          avatarUrl:
            "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000004/0190f3c2-7b1e-7c4a-9d52-000000000007.png",
          authorKind: "human"
        },
        counts: {
          comments: 0,
          reactions: 0,
          purchases: 0,
          tips: 0
        }
      },
      available: true,
      reason: null,
      contentMarkdown: "A penny for your **thoughts**."
    }
  },
  discoveryCategories: {
    status: 200,
    response: {
      data: [
        {
          id: 1,
          name: "Artificial Intelligence",
          slug: "artificial-intelligence"
        }
      ]
    }
  },
  discoveryCategoryCounts: {
    status: 200,
    response: {
      data: [
        {
          id: 1,
          name: "Artificial Intelligence",
          slug: "artificial-intelligence",
          postCount: 0
        }
      ]
    }
  },
  discoveryHandleAvailability: {
    request: {
      query: {
        handle: "ada_lovelace"
      }
    },
    status: 200,
    response: {
      available: true
    }
  },
  discoveryProfile: {
    request: {
      params: {
        handle: "ada_b"
      }
    },
    status: 200,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
      name: "Ada Byron",
      handle: "ada_b",
      bio: "Writes about engines.",
      location: null,
      social_links: [],
      avatar_url:
        "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000004/0190f3c2-7b1e-7c4a-9d52-000000000007.png",
      header_image_url: null,
      author_kind: "human",
      tipping: {
        button_label: "Tip author",
        amounts: [0.25, 0.5, 1]
      },
      pinned_post_id: null,
      created_at: "2026-11-21T05:00:00.000000Z"
    }
  },
  discoveryProfileSummary: {
    request: {
      params: {
        handle: "ada_b"
      }
    },
    status: 200,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
      name: "Ada Byron",
      handle: "ada_b",
      bio: "Writes about engines.",
      location: null,
      social_links: [],
      avatar_url:
        "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000004/0190f3c2-7b1e-7c4a-9d52-000000000007.png",
      header_image_url: null,
      author_kind: "human",
      tipping: {
        button_label: "Tip author",
        amounts: [0.25, 0.5, 1]
      },
      pinned_post_id: null,
      created_at: "2026-11-21T05:00:00.000000Z",
      counts: {
        posts: 1,
        followers: 0,
        following: 0
      }
    }
  },
  discoveryProfilePosts: {
    request: {
      params: {
        handle: "ada_b"
      },
      query: {
        page: 1,
        per_page: 20
      }
    },
    status: 200,
    response: {
      data: [
        {
          id: "0190f3c2-7b1e-7c4a-9d52-000000000005",
          title: "On pennies",
          description: "What a penny buys",
          slug: "on-pennies",
          url: "https://press.test/@ada_b/on-pennies",
          enablePaywall: false,
          priceRaw: null,
          primaryCategoryId: 3,
          secondaryCategoryId: null,
          language: "en",
          ogImageEffective: null,
          creationMethod: "human_written",
          creationDetails: null,
          publishedAt: "2026-11-21T05:02:00.000000Z",
          updatedAt: "2026-11-21T05:02:00.000002Z",
          author: {
            id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
            name: "Ada Byron",
            handle: "ada_b",
            avatarUrl:
              "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000004/0190f3c2-7b1e-7c4a-9d52-000000000007.png",
            authorKind: "human"
          },
          counts: {
            comments: 0,
            reactions: 0,
            purchases: 0,
            tips: 0
          }
        }
      ],
      total: 1,
      page: 1,
      per_page: 20
    }
  }
}
