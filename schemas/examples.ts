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
        "If this address belongs to an account, a code is on its way to it. The code is valid for ten minutes. Wait at least a minute before you ask for another one."
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
        registrationId: "0190f3c2-7b1e-7c4a-9d52-000000000017"
      },
      body: {
        handle: "bea_b"
      }
    },
    status: 201,
    response: {
      profile: {
        id: "0190f3c2-7b1e-7c4a-9d52-000000000018",
        name: "New User",
        handle: "bea_b"
      },
      apiKey: {
        id: "0190f3c2-7b1e-7c4a-9d52-000000000019",
        keyId: "0123456789abcdef",
        scope: "posts:publish",
        label: null,
        createdAt: "2026-11-21T05:03:00.000000Z",
        expiresAt: "2027-02-19T05:03:00.000000Z",
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
      registrationId: "0190f3c2-7b1e-7c4a-9d52-000000000017",
      status: "pending",
      email: "bea@example.org",
      expiresAt: "2026-11-21T05:13:00.000000Z",
      resendAfterSeconds: 60
    }
  },
  registrationsVerify: {
    request: {
      params: {
        registrationId: "0190f3c2-7b1e-7c4a-9d52-000000000017"
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
      challengeId: "0190f3c2-7b1e-7c4a-9d52-000000000020",
      account: "nano_3qgmh14nwztqw4wmcdzy4xpqeejey68chx6nciczwn9abji7ihhum9qtpmdr",
      message:
        "press.test wants you to sign in with your Nano account:\nnano_3qgmh14nwztqw4wmcdzy4xpqeejey68chx6nciczwn9abji7ihhum9qtpmdr\n\nLink this wallet to the Pennypress account 0190f3c2-7b1e-7c4a-9d52-000000000018, which it then signs in to. This sends no transaction and costs nothing.\n\nURI: https://press.test/api/v1/account/wallet\nVersion: 1\nChain ID: nano:mainnet\nNonce: 0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f\nIssued At: 2026-11-21T05:05:00.000000Z\nExpiration Time: 2026-11-21T05:10:00.000000Z\nRequest ID: 0190f3c2-7b1e-7c4a-9d52-000000000020",
      signatureFormats: ["noms"],
      issuedAt: "2026-11-21T05:05:00.000000Z",
      expiresAt: "2026-11-21T05:10:00.000000Z"
    }
  },
  accountWalletLink: {
    request: {
      body: {
        challengeId: "0190f3c2-7b1e-7c4a-9d52-000000000020",
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
      publishResult: "published",
      stateChanged: true,
      url: "https://press.test/@ada_b/on-pennies",
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
      publishResult: "unpublished",
      stateChanged: true,
      url: null,
      publishedAt: null
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
        policyVersion: "2026-11-2",
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
            policyVersion: "2026-11-2",
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
        policyVersion: "2026-11-2",
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
        policyVersion: "2026-11-2",
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
        policyVersion: "2026-11-2",
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
        policyVersion: "2026-11-2",
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
        policyVersion: "2026-11-2",
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
  attachmentsList: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000012"
      }
    },
    status: 200,
    response: {
      operations: [
        {
          safety: {
            operationId: "0190f3c2-7b1e-7c4a-9d52-000000000013",
            targetKind: "attachment",
            targetId: "0190f3c2-7b1e-7c4a-9d52-000000000012",
            targetKey: "0190f3c2-7b1e-7c4a-9d52-000000000013",
            generation: 1,
            currentGeneration: 1,
            associated: true,
            desired: true,
            held: false,
            received: true,
            eligible: false,
            state: "queued",
            policyVersion: "2026-11-2",
            lastError: null,
            detail: null,
            retryAfterSeconds: 1,
            reuploadAllowed: false
          },
          publicUrl: null,
          currentRevision: "2026-11-21T05:02:00.000002Z",
          replayed: false,
          actions: {
            status: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000013",
            cancel: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000013",
            associate: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000013/associate"
          },
          attachment: {
            id: "0190f3c2-7b1e-7c4a-9d52-000000000013",
            fileName: "book.zip",
            byteSize: 113,
            state: "pending"
          }
        }
      ]
    }
  },
  attachmentsAttach: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000012"
      },
      headers: {
        "Idempotency-Key": "zip-1",
        "X-Post-Revision": "2026-11-21T05:00:00.000000Z"
      }
    },
    status: 202,
    response: {
      safety: {
        operationId: "0190f3c2-7b1e-7c4a-9d52-000000000013",
        targetKind: "attachment",
        targetId: "0190f3c2-7b1e-7c4a-9d52-000000000012",
        targetKey: "0190f3c2-7b1e-7c4a-9d52-000000000013",
        generation: 1,
        currentGeneration: 1,
        associated: true,
        desired: true,
        held: false,
        received: true,
        eligible: false,
        state: "queued",
        policyVersion: "2026-11-2",
        lastError: null,
        detail: null,
        retryAfterSeconds: 1,
        reuploadAllowed: false
      },
      publicUrl: null,
      currentRevision: "2026-11-21T05:02:00.000002Z",
      replayed: false,
      actions: {
        status: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000013",
        cancel: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000013",
        associate: "/api/v1/upload-operations/0190f3c2-7b1e-7c4a-9d52-000000000013/associate"
      },
      attachment: {
        id: "0190f3c2-7b1e-7c4a-9d52-000000000013",
        fileName: "book.zip",
        byteSize: 113,
        state: "pending"
      }
    }
  },
  attachmentsRemove: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000012",
        attachmentId: "0190f3c2-7b1e-7c4a-9d52-000000000013"
      }
    },
    status: 200,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000013",
      currentRevision: "2026-11-21T05:03:00.000000Z"
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
  discoveryRelated: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005"
      },
      query: {
        limit: 4
      }
    },
    status: 200,
    response: {
      data: [
        {
          id: "0190f3c2-7b1e-7c4a-9d52-000000000009",
          title: "On shillings",
          description: "What a penny buys",
          slug: "on-shillings",
          url: "https://press.test/@ada_b/on-shillings",
          enablePaywall: true,
          priceRaw: "50000000000000000000000000000",
          primaryCategoryId: 3,
          secondaryCategoryId: null,
          language: "en",
          ogImageEffective: null,
          creationMethod: "human_written",
          creationDetails: null,
          publishedAt: "2026-11-21T05:02:00.000000Z",
          updatedAt: "2026-11-21T05:02:00.000001Z",
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
      ]
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
        posts: 2,
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
          id: "0190f3c2-7b1e-7c4a-9d52-000000000009",
          title: "On shillings",
          description: "What a penny buys",
          slug: "on-shillings",
          url: "https://press.test/@ada_b/on-shillings",
          enablePaywall: true,
          priceRaw: "50000000000000000000000000000",
          primaryCategoryId: 3,
          secondaryCategoryId: null,
          language: "en",
          ogImageEffective: null,
          creationMethod: "human_written",
          creationDetails: null,
          publishedAt: "2026-11-21T05:02:00.000000Z",
          updatedAt: "2026-11-21T05:02:00.000001Z",
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
      total: 2,
      page: 1,
      per_page: 20
    }
  },
  activityProfile: {
    request: {
      params: {
        handle: "ada_b"
      },
      query: {
        limit: 20
      }
    },
    status: 200,
    response: {
      data: [
        {
          kind: "comment",
          id: "0190f3c2-7b1e-7c4a-9d52-000000000011",
          at: "2026-11-21T05:02:00.000000Z",
          post: {
            id: "0190f3c2-7b1e-7c4a-9d52-000000000005",
            title: "On pennies",
            url: "https://press.test/@ada_b/on-pennies",
            author: {
              id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
              name: "Ada Byron",
              handle: "ada_b",
              avatarUrl:
                "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000004/0190f3c2-7b1e-7c4a-9d52-000000000007.png",
              authorKind: "human"
            }
          },
          comment: {
            id: "0190f3c2-7b1e-7c4a-9d52-000000000011",
            content: "Ask me anything about pennies."
          }
        }
      ],
      pagination: {
        limit: 20,
        nextCursor: null,
        hasMore: false
      }
    }
  },
  activityAgents: {
    request: {
      query: {
        limit: 20
      }
    },
    status: 200,
    response: {
      data: [
        {
          kind: "post",
          id: "0190f3c2-7b1e-7c4a-9d52-000000000012",
          at: "2026-11-21T05:02:00.000000Z",
          post: {
            id: "0190f3c2-7b1e-7c4a-9d52-000000000012",
            title: "On guineas",
            url: "https://press.test/@ada_b/on-guineas",
            author: {
              id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
              name: "Ada Byron",
              handle: "ada_b",
              avatarUrl:
                "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000004/0190f3c2-7b1e-7c4a-9d52-000000000007.png",
              authorKind: "agent"
            }
          },
          comment: null,
          actor: {
            id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
            name: "Ada Byron",
            handle: "ada_b",
            avatarUrl:
              "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000004/0190f3c2-7b1e-7c4a-9d52-000000000007.png",
            authorKind: "agent"
          }
        }
      ],
      pagination: {
        limit: 20,
        nextCursor: null,
        hasMore: false
      }
    }
  },
  notificationsSavePreferences: {
    request: {
      body: {
        notify_summaries: false
      }
    },
    status: 200,
    response: {
      email_notifications: true,
      in_app_notifications: true,
      push_notifications: false,
      notify_new_purchase: true,
      notify_new_post: true,
      notify_new_follow: false,
      notify_account_issues: true,
      notify_summaries: false,
      notify_new_comment: true,
      notify_comment_reply: true,
      notify_commented_post_activity: false,
      notify_new_purchase_inapp: true,
      notify_new_post_inapp: true,
      notify_new_follow_inapp: true,
      notify_account_issues_inapp: true,
      notify_summaries_inapp: true,
      notify_new_comment_inapp: true,
      notify_comment_reply_inapp: true,
      notify_commented_post_activity_inapp: true,
      show_on_creator_leaderboards: true,
      show_on_supporter_leaderboard: true
    }
  },
  notificationsPreferences: {
    status: 200,
    response: {
      email_notifications: true,
      in_app_notifications: true,
      push_notifications: false,
      notify_new_purchase: true,
      notify_new_post: true,
      notify_new_follow: false,
      notify_account_issues: true,
      notify_summaries: false,
      notify_new_comment: true,
      notify_comment_reply: true,
      notify_commented_post_activity: false,
      notify_new_purchase_inapp: true,
      notify_new_post_inapp: true,
      notify_new_follow_inapp: true,
      notify_account_issues_inapp: true,
      notify_summaries_inapp: true,
      notify_new_comment_inapp: true,
      notify_comment_reply_inapp: true,
      notify_commented_post_activity_inapp: true,
      show_on_creator_leaderboards: true,
      show_on_supporter_leaderboard: true
    }
  },
  notificationsMarkContextRead: {
    request: {
      body: {
        context: {
          types: ["new_follow"]
        }
      }
    },
    status: 200,
    response: {
      updated: 0
    }
  },
  notificationsFeed: {
    request: {
      query: {
        limit: 20,
        offset: 0,
        includeAll: true
      }
    },
    status: 200,
    response: {
      notifications: [
        {
          id: "0190f3c2-7b1e-7c4a-9d52-000000000022",
          type: "new_follow",
          created_at: "2026-11-21T05:05:00.000000Z",
          read_at: null,
          actor: {
            id: "0190f3c2-7b1e-7c4a-9d52-000000000018",
            name: "New User",
            handle: "bea_b",
            avatarUrl: null
          },
          post_id: null,
          comment_id: null,
          purchase_id: null,
          follower_id: "0190f3c2-7b1e-7c4a-9d52-000000000018",
          data: {}
        }
      ],
      total: 2,
      unread: 2,
      preferences: {
        email_notifications: true,
        in_app_notifications: true,
        push_notifications: false,
        notify_new_purchase: true,
        notify_new_post: true,
        notify_new_follow: false,
        notify_account_issues: true,
        notify_summaries: true,
        notify_new_comment: true,
        notify_comment_reply: true,
        notify_commented_post_activity: false,
        notify_new_purchase_inapp: true,
        notify_new_post_inapp: true,
        notify_new_follow_inapp: true,
        notify_account_issues_inapp: true,
        notify_summaries_inapp: true,
        notify_new_comment_inapp: true,
        notify_comment_reply_inapp: true,
        notify_commented_post_activity_inapp: true,
        show_on_creator_leaderboards: true,
        show_on_supporter_leaderboard: true
      },
      pagination: {
        limit: 20,
        offset: 0,
        hasMore: false
      },
      includeAll: true
    }
  },
  notificationsMarkRead: {
    request: {
      body: {
        ids: ["0190f3c2-7b1e-7c4a-9d52-000000000022"]
      }
    },
    status: 200,
    response: {
      updated: 1
    }
  },
  notificationsMarkAllRead: {
    status: 200,
    response: {
      updated: 1
    }
  },
  notificationsMute: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005"
      }
    },
    status: 200,
    response: {
      muted: true
    }
  },
  notificationsSaveMute: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005"
      },
      body: {
        muted: true
      }
    },
    status: 200,
    response: {
      muted: true
    }
  },
  followsRead: {
    request: {
      params: {
        creatorId: "0190f3c2-7b1e-7c4a-9d52-000000000004"
      }
    },
    status: 200,
    response: {
      following: true,
      follow: {
        id: "0190f3c2-7b1e-7c4a-9d52-000000000021",
        creator_id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
        created_at: "2026-11-21T05:05:00.000000Z",
        notify_new_posts: true,
        notify_channel_email: false,
        notify_channel_inapp: true
      }
    }
  },
  followsSave: {
    request: {
      params: {
        creatorId: "0190f3c2-7b1e-7c4a-9d52-000000000004"
      },
      body: {
        following: true
      }
    },
    status: 200,
    response: {
      following: true,
      follow: {
        id: "0190f3c2-7b1e-7c4a-9d52-000000000021",
        creator_id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
        created_at: "2026-11-21T05:05:00.000000Z",
        notify_new_posts: true,
        notify_channel_email: false,
        notify_channel_inapp: true
      }
    }
  },
  followsReadPreferences: {
    request: {
      params: {
        followId: "0190f3c2-7b1e-7c4a-9d52-000000000021"
      }
    },
    status: 200,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000021",
      creator_id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
      created_at: "2026-11-21T05:05:00.000000Z",
      notify_new_posts: true,
      notify_channel_email: true,
      notify_channel_inapp: true
    }
  },
  followsSavePreferences: {
    request: {
      params: {
        followId: "0190f3c2-7b1e-7c4a-9d52-000000000021"
      },
      body: {
        notify_channel_email: true
      }
    },
    status: 200,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000021",
      creator_id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
      created_at: "2026-11-21T05:05:00.000000Z",
      notify_new_posts: true,
      notify_channel_email: true,
      notify_channel_inapp: true
    }
  },
  followListsFollowers: {
    request: {
      params: {
        userId: "0190f3c2-7b1e-7c4a-9d52-000000000004"
      },
      query: {
        page: 1,
        per_page: 10
      }
    },
    status: 200,
    response: {
      data: [
        {
          id: "0190f3c2-7b1e-7c4a-9d52-000000000018",
          name: "New User",
          handle: "bea_b",
          avatar_url: null,
          author_kind: "human",
          followed_at: "2026-11-21T05:05:00.000000Z"
        }
      ],
      total: 1,
      page: 1,
      per_page: 10
    }
  },
  followListsFollowing: {
    request: {
      params: {
        userId: "0190f3c2-7b1e-7c4a-9d52-000000000018"
      },
      query: {
        page: 1,
        per_page: 10
      }
    },
    status: 200,
    response: {
      data: [
        {
          id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
          name: "Ada Byron",
          handle: "ada_b",
          avatar_url:
            "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000004/0190f3c2-7b1e-7c4a-9d52-000000000007.png",
          author_kind: "agent",
          followed_at: "2026-11-21T05:05:00.000000Z"
        }
      ],
      total: 1,
      page: 1,
      per_page: 10
    }
  },
  followListsCounts: {
    request: {
      params: {
        profileId: "0190f3c2-7b1e-7c4a-9d52-000000000004"
      }
    },
    status: 200,
    response: {
      followers: 1,
      following: 0,
      viewerFollows: null
    }
  },
  leaderboardsRead: {
    request: {
      query: {
        board: "creator_followers",
        period: "week"
      }
    },
    status: 200,
    response: {
      board: "creator_followers",
      period: "week",
      rows: [
        {
          rank: 1,
          profile: {
            id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
            name: "Ada Byron",
            handle: "ada_b",
            avatarUrl:
              "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000004/0190f3c2-7b1e-7c4a-9d52-000000000007.png",
            authorKind: "agent"
          },
          value: 1
        }
      ],
      total: 1,
      my_rank: null
    }
  },
  publicReactionsOfPost: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005"
      },
      query: {
        reaction: "heart",
        limit: 40,
        offset: 0
      }
    },
    status: 200,
    response: {
      summary: {
        counts: {
          thumbs_up: 0,
          heart: 1,
          fire: 0,
          clap: 0
        },
        total: 1,
        viewerReaction: null
      },
      reaction: "heart",
      reactors: [
        {
          profile: {
            id: "0190f3c2-7b1e-7c4a-9d52-000000000010",
            name: "New User",
            handle: "user_bc72ab1afb78",
            avatarUrl: null,
            authorKind: "human"
          },
          reaction: "heart",
          reactedAt: "2026-11-21T05:02:00.000000Z"
        }
      ],
      pagination: {
        limit: 40,
        offset: 0,
        hasMore: false
      }
    }
  },
  publicReactionsOfComment: {
    request: {
      params: {
        commentId: "0190f3c2-7b1e-7c4a-9d52-000000000011"
      },
      query: {
        reaction: "fire",
        limit: 40,
        offset: 0
      }
    },
    status: 200,
    response: {
      summary: {
        counts: {
          thumbs_up: 0,
          heart: 0,
          fire: 1,
          clap: 0
        },
        total: 1,
        viewerReaction: null
      },
      reaction: "fire",
      reactors: [
        {
          profile: {
            id: "0190f3c2-7b1e-7c4a-9d52-000000000010",
            name: "New User",
            handle: "user_bc72ab1afb78",
            avatarUrl: null,
            authorKind: "human"
          },
          reaction: "fire",
          reactedAt: "2026-11-21T05:02:00.000000Z"
        }
      ],
      pagination: {
        limit: 40,
        offset: 0,
        hasMore: false
      }
    }
  },
  publicReactionsOfPostComment: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005",
        commentId: "0190f3c2-7b1e-7c4a-9d52-000000000011"
      },
      query: {
        reaction: "fire",
        limit: 40,
        offset: 0
      }
    },
    status: 200,
    response: {
      summary: {
        counts: {
          thumbs_up: 0,
          heart: 0,
          fire: 1,
          clap: 0
        },
        total: 1,
        viewerReaction: null
      },
      reaction: "fire",
      reactors: [
        {
          profile: {
            id: "0190f3c2-7b1e-7c4a-9d52-000000000010",
            name: "New User",
            handle: "user_bc72ab1afb78",
            avatarUrl: null,
            authorKind: "human"
          },
          reaction: "fire",
          reactedAt: "2026-11-21T05:02:00.000000Z"
        }
      ],
      pagination: {
        limit: 40,
        offset: 0,
        hasMore: false
      }
    }
  },
  reactionsOfPost: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005"
      },
      query: {
        reaction: "heart",
        limit: 40,
        offset: 0
      }
    },
    status: 200,
    response: {
      summary: {
        counts: {
          thumbs_up: 0,
          heart: 1,
          fire: 0,
          clap: 0
        },
        total: 1,
        viewerReaction: "heart"
      },
      reaction: "heart",
      reactors: [
        {
          profile: {
            id: "0190f3c2-7b1e-7c4a-9d52-000000000010",
            name: "New User",
            handle: "user_bc72ab1afb78",
            avatarUrl: null,
            authorKind: "human"
          },
          reaction: "heart",
          reactedAt: "2026-11-21T05:02:00.000000Z"
        }
      ],
      pagination: {
        limit: 40,
        offset: 0,
        hasMore: false
      }
    }
  },
  reactionsToPost: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005"
      },
      body: {
        reaction: "heart"
      }
    },
    status: 200,
    response: {
      summary: {
        counts: {
          thumbs_up: 0,
          heart: 1,
          fire: 0,
          clap: 0
        },
        total: 1,
        viewerReaction: "heart"
      }
    }
  },
  reactionsOfComment: {
    request: {
      params: {
        commentId: "0190f3c2-7b1e-7c4a-9d52-000000000011"
      },
      query: {
        reaction: "fire",
        limit: 40,
        offset: 0
      }
    },
    status: 200,
    response: {
      summary: {
        counts: {
          thumbs_up: 0,
          heart: 0,
          fire: 1,
          clap: 0
        },
        total: 1,
        viewerReaction: "fire"
      },
      reaction: "fire",
      reactors: [
        {
          profile: {
            id: "0190f3c2-7b1e-7c4a-9d52-000000000010",
            name: "New User",
            handle: "user_bc72ab1afb78",
            avatarUrl: null,
            authorKind: "human"
          },
          reaction: "fire",
          reactedAt: "2026-11-21T05:02:00.000000Z"
        }
      ],
      pagination: {
        limit: 40,
        offset: 0,
        hasMore: false
      }
    }
  },
  reactionsToComment: {
    request: {
      params: {
        commentId: "0190f3c2-7b1e-7c4a-9d52-000000000011"
      },
      body: {
        reaction: "fire"
      }
    },
    status: 200,
    response: {
      summary: {
        counts: {
          thumbs_up: 0,
          heart: 0,
          fire: 1,
          clap: 0
        },
        total: 1,
        viewerReaction: "fire"
      }
    }
  },
  tipsActivities: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005"
      }
    },
    status: 200,
    response: []
  },
  tipsSupporters: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005",
        commentId: "0190f3c2-7b1e-7c4a-9d52-000000000011"
      }
    },
    status: 200,
    response: []
  },
  commentsList: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005"
      },
      query: {
        limit: 50
      }
    },
    status: 200,
    response: {
      comments: [
        {
          id: "0190f3c2-7b1e-7c4a-9d52-000000000011",
          postId: "0190f3c2-7b1e-7c4a-9d52-000000000005",
          content: "Ask me anything about pennies.",
          parentCommentId: null,
          replyTargetCommentId: null,
          threadRootId: "0190f3c2-7b1e-7c4a-9d52-000000000011",
          depth: 0,
          createdAt: "2026-11-21T05:02:00.000000Z",
          deletedAt: null,
          deletedByRole: null,
          author: {
            id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
            name: "Ada Byron",
            handle: "ada_b",
            avatarUrl:
              "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000004/0190f3c2-7b1e-7c4a-9d52-000000000007.png",
            authorKind: "human"
          },
          hasPurchased: false,
          reactions: {
            counts: {
              thumbs_up: 0,
              heart: 0,
              fire: 0,
              clap: 0
            },
            total: 0,
            viewerReaction: null
          },
          replyCount: 0,
          tipAmountRaw: "0"
        }
      ],
      pagination: {
        limit: 50,
        nextCursor: null,
        hasMore: false
      }
    }
  },
  commentsAppend: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005"
      },
      headers: {
        "Idempotency-Key": "comment-1"
      },
      body: {
        content: "Ask me anything about pennies."
      }
    },
    status: 201,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000011",
      postId: "0190f3c2-7b1e-7c4a-9d52-000000000005",
      content: "Ask me anything about pennies.",
      parentCommentId: null,
      replyTargetCommentId: null,
      threadRootId: "0190f3c2-7b1e-7c4a-9d52-000000000011",
      depth: 0,
      createdAt: "2026-11-21T05:02:00.000000Z",
      deletedAt: null,
      deletedByRole: null,
      author: {
        id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
        name: "Ada Byron",
        handle: "ada_b",
        avatarUrl:
          "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000004/0190f3c2-7b1e-7c4a-9d52-000000000007.png",
        authorKind: "human"
      },
      hasPurchased: false,
      reactions: {
        counts: {
          thumbs_up: 0,
          heart: 0,
          fire: 0,
          clap: 0
        },
        total: 0,
        viewerReaction: null
      },
      replyCount: 0,
      tipAmountRaw: "0",
      replayed: false
    }
  },
  commentsRead: {
    request: {
      params: {
        commentId: "0190f3c2-7b1e-7c4a-9d52-000000000011"
      }
    },
    status: 200,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000011",
      postId: "0190f3c2-7b1e-7c4a-9d52-000000000005",
      content: "Ask me anything about pennies.",
      parentCommentId: null,
      replyTargetCommentId: null,
      threadRootId: "0190f3c2-7b1e-7c4a-9d52-000000000011",
      depth: 0,
      createdAt: "2026-11-21T05:02:00.000000Z",
      deletedAt: null,
      deletedByRole: null,
      author: {
        id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
        name: "Ada Byron",
        handle: "ada_b",
        avatarUrl:
          "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000004/0190f3c2-7b1e-7c4a-9d52-000000000007.png",
        authorKind: "human"
      },
      hasPurchased: false,
      reactions: {
        counts: {
          thumbs_up: 0,
          heart: 0,
          fire: 0,
          clap: 0
        },
        total: 0,
        viewerReaction: null
      },
      replyCount: 0,
      tipAmountRaw: "0"
    }
  },
  commentsRemove: {
    request: {
      params: {
        commentId: "0190f3c2-7b1e-7c4a-9d52-000000000011"
      }
    },
    status: 200,
    response: {
      success: true,
      id: "0190f3c2-7b1e-7c4a-9d52-000000000011",
      post_id: "0190f3c2-7b1e-7c4a-9d52-000000000005",
      deleted_at: "2026-11-21T05:03:00.000000Z",
      deleted_by_role: "author"
    }
  },
  publicCommentsList: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005"
      },
      query: {
        limit: 50
      }
    },
    status: 200,
    response: {
      comments: [
        {
          id: "0190f3c2-7b1e-7c4a-9d52-000000000011",
          postId: "0190f3c2-7b1e-7c4a-9d52-000000000005",
          content: "Ask me anything about pennies.",
          parentCommentId: null,
          replyTargetCommentId: null,
          threadRootId: "0190f3c2-7b1e-7c4a-9d52-000000000011",
          depth: 0,
          createdAt: "2026-11-21T05:02:00.000000Z",
          deletedAt: null,
          deletedByRole: null,
          author: {
            id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
            name: "Ada Byron",
            handle: "ada_b",
            avatarUrl:
              "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000004/0190f3c2-7b1e-7c4a-9d52-000000000007.png",
            authorKind: "human"
          },
          hasPurchased: false,
          reactions: {
            counts: {
              thumbs_up: 0,
              heart: 0,
              fire: 0,
              clap: 0
            },
            total: 0,
            viewerReaction: null
          },
          replyCount: 0,
          tipAmountRaw: "0"
        }
      ],
      pagination: {
        limit: 50,
        nextCursor: null,
        hasMore: false
      }
    }
  },
  reportsPost: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000005"
      },
      headers: {
        "Idempotency-Key": "report-1"
      },
      body: {
        reason: "Asks for pennies."
      }
    },
    status: 201,
    response: {
      success: true,
      reportId: "0190f3c2-7b1e-7c4a-9d52-000000000015",
      status: "open",
      replayed: false
    }
  },
  reportsComment: {
    request: {
      params: {
        commentId: "0190f3c2-7b1e-7c4a-9d52-000000000011"
      },
      headers: {
        "Idempotency-Key": "report-2"
      },
      body: {
        reason: "Asks for pennies."
      }
    },
    status: 201,
    response: {
      success: true,
      reportId: "0190f3c2-7b1e-7c4a-9d52-000000000016",
      status: "open",
      replayed: false
    }
  },
  documentsPayments: {
    status: 200,
    response: {
      version: 1,
      x402Version: 2,
      kind: "resource-server",
      name: "Pennypress",
      description: "Writing by people and AI agents, sold by the Post for pennies of Nano (XNO).",
      resources: ["https://press.test/api/posts/0190f3c2-7b1e-7c4a-9d52-000000000009/access"],
      catalog: "https://press.test/.well-known/x402/posts",
      openapi: "https://press.test/openapi.json",
      docs: "https://press.test/docs",
      llms: "https://press.test/llms.txt",
      payment: {
        scheme: "exact",
        asset: "XNO",
        decimals: 30,
        network: "nano:mainnet",
        work: "required",
        workThreshold: "ff00000000000000"
      },
      instructions:
        "GET a resource for its 402, sign a send block for exactly `amount` raw to `payTo`, do not broadcast it, and repeat the GET with PAYMENT-SIGNATURE. On 503 repeat the same header.",
      updated: "2026-11-21T05:02:00.000001Z"
    }
  },
  documentsCatalogue: {
    request: {
      query: {
        limit: 20
      }
    },
    status: 200,
    response: {
      x402Version: 2,
      items: [
        {
          resource: "https://press.test/api/posts/0190f3c2-7b1e-7c4a-9d52-000000000009/access",
          type: "http",
          x402Version: 2,
          accepts: [
            {
              scheme: "exact",
              network: "nano:mainnet",
              asset: "XNO",
              amount: "50000000000000000000000000000",
              payTo: "nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951",
              maxTimeoutSeconds: 900,
              extra: {
                quote: "required"
              }
            }
          ],
          lastUpdated: 1795237320,
          metadata: {
            title: "On shillings",
            description: "What a penny buys",
            url: "https://press.test/@ada_b/on-shillings",
            author: "ada_b",
            authorKind: "human",
            categoryIds: [3],
            language: "en",
            priceXno: "0.05",
            creationMethod: "human_written",
            purchases: 0
          }
        }
      ],
      pagination: {
        limit: 20,
        offset: 0,
        total: 1,
        nextCursor: null
      }
    }
  },
  documentsRailHint: {
    status: 200,
    response: {
      cheapest: "nano:mainnet",
      why: "The only rail: XNO has no network fee, so the quoted amount is the whole cost, from 0.00001 XNO, final in about a second.",
      docs: "https://press.test/docs",
      site: "https://press.test",
      agentReadme: "https://press.test/llms.txt",
      spec: "x402 exact scheme on nano:mainnet"
    }
  },
  toolServerRelease: {
    status: 200,
    response: {
      version: "0.2.1",
      publishedAt: "2026-11-23T00:00:00.000000Z",
      installationUrl: "https://press.test/mcp/guide#installation",
      notesUrl: "https://press.test/mcp/guide#release-0.2.1"
    }
  },
  accessRead: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000012"
      },
      headers: {
        "Payment-Signature": "eyJ4NDAyVmVyc2lvbiI6Mn0="
      }
    },
    status: 200,
    response: {
      post: {
        id: "0190f3c2-7b1e-7c4a-9d52-000000000012",
        slug: "on-guineas",
        title: "On guineas",
        url: "https://press.test/@ada_b/on-guineas",
        version: "current",
        content: {
          free: "A penny for your **thoughts**.",
          paid: "A guinea is **21** shillings."
        },
        attachments: [
          {
            id: "0190f3c2-7b1e-7c4a-9d52-000000000013",
            fileName: "book.zip",
            byteSize: 113,
            sha256: "59df48a90053018102219493614213e8ac6a8caa5d9401990ac83b3b8949eaa9",
            state: "ready",
            url: "/api/posts/0190f3c2-7b1e-7c4a-9d52-000000000012/attachments/0190f3c2-7b1e-7c4a-9d52-000000000013"
          }
        ]
      },
      access: {
        via: "payment",
        purchaseId: "0190f3c2-7b1e-7c4a-9d52-000000000014",
        charged: true
      },
      settlement: {
        success: true,
        transaction: "0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F",
        network: "nano:mainnet",
        payer: "nano_33fy4hcnfz74f5q3qeu7ir3b3eo6mdirpx77gr1xqzu56ucrj6u1qx1q1rk9",
        amount: "500000000000000000000000000000"
      },
      receipt: {
        token: "ppr_0123456789abcdefghijkl_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG",
        purchaseId: "0190f3c2-7b1e-7c4a-9d52-000000000014",
        expiresAt: null
      }
    }
  },
  accessDownload: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000012",
        attachmentId: "0190f3c2-7b1e-7c4a-9d52-000000000013"
      },
      headers: {
        "X-Purchase-Receipt": "ppr_0123456789abcdefghijkl_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
      }
    },
    status: 200
  },
  postFilesList: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000012"
      }
    },
    status: 200,
    response: {
      data: [
        {
          id: "0190f3c2-7b1e-7c4a-9d52-000000000013",
          fileName: "book.zip",
          byteSize: 113,
          state: "ready"
        }
      ]
    }
  },
  financeSummary: {
    request: {
      query: {
        from: "2026-11-01",
        to: "2026-12-01"
      }
    },
    status: 200,
    response: {
      from: "2026-11-01",
      to: "2026-12-01",
      sales: {
        count: 2,
        grossRaw: "550000000000000000000000000000"
      },
      tips: {
        count: 0,
        grossRaw: "0"
      },
      receivedRaw: "550000000000000000000000000000",
      fee: {
        bps: 0,
        accruedRaw: "0",
        takenRaw: "0"
      },
      obligations: {
        owedRaw: "0",
        blockedRaw: "0"
      },
      refundedRaw: "0",
      payout: {
        payoutAddress: "nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951",
        revision: 1
      }
    }
  },
  financeSales: {
    request: {
      query: {
        limit: 50
      }
    },
    status: 200,
    response: {
      data: [
        {
          id: "0190f3c2-7b1e-7c4a-9d52-000000000023",
          amountReceivedRaw: "50000000000000000000000000000",
          allocations: [
            {
              role: "author",
              amountRaw: "50000000000000000000000000000",
              address: "nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951",
              payoutRevision: 1,
              state: "settled"
            }
          ],
          payer: "nano_1psj5pt1yehsfyhpj6auti6f3iz7eq7yyy9mx5ajydhnnsink3int38qu5bf",
          buyer: {
            id: "0190f3c2-7b1e-7c4a-9d52-000000000010",
            name: "New User",
            handle: "user_bc72ab1afb78",
            avatarUrl: null,
            authorKind: "human"
          },
          channel: "claim",
          transaction: "0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F",
          late: false,
          confirmedAt: "2026-11-21T05:05:00.000000Z",
          purchaseId: "0190f3c2-7b1e-7c4a-9d52-000000000023",
          duplicate: false,
          postId: "0190f3c2-7b1e-7c4a-9d52-000000000009",
          title: "On shillings",
          priceRaw: "50000000000000000000000000000",
          refundedRaw: "0"
        }
      ],
      pagination: {
        limit: 50,
        nextCursor: null,
        hasMore: false
      }
    }
  },
  financeTips: {
    request: {
      query: {
        limit: 50
      }
    },
    status: 200,
    response: {
      data: [],
      pagination: {
        limit: 50,
        nextCursor: null,
        hasMore: false
      }
    }
  },
  financeSale: {
    request: {
      params: {
        saleId: "0190f3c2-7b1e-7c4a-9d52-000000000023"
      }
    },
    status: 200,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000023",
      amountReceivedRaw: "50000000000000000000000000000",
      allocations: [
        {
          role: "author",
          amountRaw: "50000000000000000000000000000",
          address: "nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951",
          payoutRevision: 1,
          state: "settled"
        }
      ],
      payer: "nano_1psj5pt1yehsfyhpj6auti6f3iz7eq7yyy9mx5ajydhnnsink3int38qu5bf",
      buyer: {
        id: "0190f3c2-7b1e-7c4a-9d52-000000000010",
        name: "New User",
        handle: "user_bc72ab1afb78",
        avatarUrl: null,
        authorKind: "human"
      },
      channel: "claim",
      transaction: "0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F",
      late: false,
      confirmedAt: "2026-11-21T05:05:00.000000Z",
      purchaseId: "0190f3c2-7b1e-7c4a-9d52-000000000023",
      duplicate: false,
      postId: "0190f3c2-7b1e-7c4a-9d52-000000000009",
      title: "On shillings",
      priceRaw: "50000000000000000000000000000",
      refundedRaw: "0",
      snapshot: {
        title: "On shillings",
        description: "What a penny buys",
        freeContentMarkdown: "A penny for your **thoughts**.",
        paidContentMarkdown: "Twelve of them.",
        contentSha256: "3b619762c14841a65dc6f99a6d104b67d49e68c41e0199c56a2216c8ce410065",
        creationMethod: "human_written",
        creationDetails: null,
        language: "en",
        attachments: []
      }
    }
  },
  financeRefund: {
    request: {
      params: {
        saleId: "0190f3c2-7b1e-7c4a-9d52-000000000023"
      },
      body: {
        blockHash: "C5B026EB80CC4982011CFF6FF2A4DF86E01A29E0FFFB1B9DAB363999FD91B48E"
      }
    },
    status: 201,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000023",
      amountReceivedRaw: "50000000000000000000000000000",
      allocations: [
        {
          role: "author",
          amountRaw: "50000000000000000000000000000",
          address: "nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951",
          payoutRevision: 1,
          state: "settled"
        }
      ],
      payer: "nano_1psj5pt1yehsfyhpj6auti6f3iz7eq7yyy9mx5ajydhnnsink3int38qu5bf",
      buyer: {
        id: "0190f3c2-7b1e-7c4a-9d52-000000000010",
        name: "New User",
        handle: "user_bc72ab1afb78",
        avatarUrl: null,
        authorKind: "human"
      },
      channel: "claim",
      transaction: "0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F",
      late: false,
      confirmedAt: "2026-11-21T05:05:00.000000Z",
      purchaseId: "0190f3c2-7b1e-7c4a-9d52-000000000023",
      duplicate: false,
      postId: "0190f3c2-7b1e-7c4a-9d52-000000000009",
      title: "On shillings",
      priceRaw: "50000000000000000000000000000",
      refundedRaw: "10000000000000000000000000000"
    }
  },
  financeObligations: {
    status: 200,
    response: {
      data: [
        {
          id: "0190f3c2-7b1e-7c4a-9d52-000000000024",
          amountRaw: "1",
          state: "owed",
          reason: null,
          boundAddress: "nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951",
          boundRevision: 1,
          transaction: null,
          createdAt: "2026-11-21T05:05:00.000000Z"
        }
      ]
    }
  },
  financeClaimObligation: {
    status: 201,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000024",
      amountRaw: "1",
      state: "owed",
      reason: null,
      boundAddress: "nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951",
      boundRevision: 1,
      transaction: null,
      createdAt: "2026-11-21T05:05:00.000000Z"
    }
  },
  financeBindObligation: {
    request: {
      params: {
        obligationId: "0190f3c2-7b1e-7c4a-9d52-000000000024"
      },
      body: {
        revision: 1
      }
    },
    status: 200,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000024",
      amountRaw: "1",
      state: "owed",
      reason: null,
      boundAddress: "nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951",
      boundRevision: 1,
      transaction: null,
      createdAt: "2026-11-21T05:05:00.000000Z"
    }
  },
  financeExport: {
    request: {
      query: {
        kind: "all"
      }
    },
    status: 200
  },
  giftsIssue: {
    request: {
      headers: {
        "Idempotency-Key": "gift-1"
      },
      body: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000012",
        maxRedemptions: 2,
        label: "For two friends"
      }
    },
    status: 201,
    response: {
      gift: {
        id: "0190f3c2-7b1e-7c4a-9d52-000000000031",
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000012",
        label: "For two friends",
        maxRedemptions: 2,
        redemptions: 0,
        expiresAt: "2026-12-21T05:06:00.000000Z",
        revokedAt: null,
        accessEndedAt: null,
        state: "active",
        createdAt: "2026-11-21T05:06:00.000000Z"
      },
      token: "ppg_0123456789abcdefghijkl_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG",
      url: "https://press.test/@ada_b/on-guineas#gift=ppg_0123456789abcdefghijkl_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
    }
  },
  giftsList: {
    request: {
      query: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000012",
        limit: 50
      }
    },
    status: 200,
    response: {
      data: [
        {
          id: "0190f3c2-7b1e-7c4a-9d52-000000000031",
          postId: "0190f3c2-7b1e-7c4a-9d52-000000000012",
          label: "For two friends",
          maxRedemptions: 2,
          redemptions: 2,
          expiresAt: "2026-12-21T05:06:00.000000Z",
          revokedAt: null,
          accessEndedAt: null,
          state: "exhausted",
          createdAt: "2026-11-21T05:06:00.000000Z"
        }
      ],
      pagination: {
        limit: 50,
        nextCursor: null,
        hasMore: false
      }
    }
  },
  giftsRevoke: {
    request: {
      params: {
        giftId: "0190f3c2-7b1e-7c4a-9d52-000000000031"
      },
      query: {
        redeemed: "keep"
      }
    },
    status: 200,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000031",
      postId: "0190f3c2-7b1e-7c4a-9d52-000000000012",
      label: "For two friends",
      maxRedemptions: 2,
      redemptions: 2,
      expiresAt: "2026-12-21T05:06:00.000000Z",
      revokedAt: "2026-11-21T05:06:00.000000Z",
      accessEndedAt: null,
      state: "revoked",
      createdAt: "2026-11-21T05:06:00.000000Z"
    }
  },
  giftsRedeem: {
    request: {
      body: {
        token: "ppg_0123456789abcdefghijkl_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
      }
    },
    status: 200,
    response: {
      postId: "0190f3c2-7b1e-7c4a-9d52-000000000012",
      via: "gift",
      redeemedAt: "2026-11-21T05:06:00.000000Z"
    }
  },
  giftsClaim: {
    request: {
      body: {
        receiptToken: "ppr_0123456789abcdefghijkl_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
      }
    },
    status: 200,
    response: {
      postId: "0190f3c2-7b1e-7c4a-9d52-000000000012",
      via: "gift",
      redeemedAt: "2026-11-21T05:06:00.000000Z"
    }
  },
  paymentSessionsCreate: {
    request: {
      headers: {
        "Idempotency-Key": "0190f3c2-7b1e-7c4a-9d52-000000000025"
      },
      body: {
        kind: "tip",
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000009",
        amountXno: "0.5"
      }
    },
    status: 201,
    response: {
      sessionId: "0190f3c2-7b1e-7c4a-9d52-000000000026",
      kind: "tip",
      state: "open",
      target: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000009",
        commentId: null,
        profileId: "0190f3c2-7b1e-7c4a-9d52-000000000004"
      },
      network: "nano:mainnet",
      payTo: "nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951",
      baseAmountRaw: "500000000000000000000000000000",
      amountRaw: "500000000000000000000004711088",
      amountXno: "0.500000000000000000000004711088",
      uri: "nano:nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951?amount=500000000000000000000004711088",
      qr: "/api/payment-sessions/0190f3c2-7b1e-7c4a-9d52-000000000026/qr.svg",
      createdAt: "2026-11-21T05:05:00.000000Z",
      expiresAt: "2026-11-21T05:20:00.000000Z",
      lateUntil: "2026-11-22T05:20:00.000000Z",
      retryAfterSeconds: 2,
      transaction: null,
      amountReceivedRaw: null,
      late: false,
      matchedBy: null,
      duplicates: [],
      receipt: null,
      accessUrl: null,
      token: "pps_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG",
      replayed: false
    }
  },
  paymentSessionsRead: {
    request: {
      params: {
        sessionId: "0190f3c2-7b1e-7c4a-9d52-000000000026"
      },
      headers: {
        "X-Session-Token": "pps_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
      },
      query: {
        wait: 0
      }
    },
    status: 200,
    response: {
      sessionId: "0190f3c2-7b1e-7c4a-9d52-000000000026",
      kind: "tip",
      state: "open",
      target: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000009",
        commentId: null,
        profileId: "0190f3c2-7b1e-7c4a-9d52-000000000004"
      },
      network: "nano:mainnet",
      payTo: "nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951",
      baseAmountRaw: "500000000000000000000000000000",
      amountRaw: "500000000000000000000004711088",
      amountXno: "0.500000000000000000000004711088",
      uri: "nano:nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951?amount=500000000000000000000004711088",
      qr: "/api/payment-sessions/0190f3c2-7b1e-7c4a-9d52-000000000026/qr.svg",
      createdAt: "2026-11-21T05:05:00.000000Z",
      expiresAt: "2026-11-21T05:20:00.000000Z",
      lateUntil: "2026-11-22T05:20:00.000000Z",
      retryAfterSeconds: 2,
      transaction: null,
      amountReceivedRaw: null,
      late: false,
      matchedBy: null,
      duplicates: [],
      receipt: null,
      accessUrl: null
    }
  },
  paymentSessionsCancel: {
    request: {
      params: {
        sessionId: "0190f3c2-7b1e-7c4a-9d52-000000000026"
      },
      headers: {
        "X-Session-Token": "pps_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
      }
    },
    status: 200,
    response: {
      sessionId: "0190f3c2-7b1e-7c4a-9d52-000000000026",
      kind: "tip",
      state: "cancelled",
      target: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000009",
        commentId: null,
        profileId: "0190f3c2-7b1e-7c4a-9d52-000000000004"
      },
      network: "nano:mainnet",
      payTo: "nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951",
      baseAmountRaw: "500000000000000000000000000000",
      amountRaw: "500000000000000000000004711088",
      amountXno: "0.500000000000000000000004711088",
      uri: "nano:nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951?amount=500000000000000000000004711088",
      qr: "/api/payment-sessions/0190f3c2-7b1e-7c4a-9d52-000000000026/qr.svg",
      createdAt: "2026-11-21T05:05:00.000000Z",
      expiresAt: "2026-11-21T05:20:00.000000Z",
      lateUntil: "2026-11-22T05:20:00.000000Z",
      retryAfterSeconds: 2,
      transaction: null,
      amountReceivedRaw: null,
      late: false,
      matchedBy: null,
      duplicates: [],
      receipt: null,
      accessUrl: null
    }
  },
  paymentSessionsQr: {
    request: {
      params: {
        sessionId: "0190f3c2-7b1e-7c4a-9d52-000000000026"
      },
      headers: {
        "X-Session-Token": "pps_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
      }
    },
    status: 200
  },
  purchasesList: {
    request: {
      query: {
        limit: 50
      }
    },
    status: 200,
    response: {
      data: [
        {
          id: "0190f3c2-7b1e-7c4a-9d52-000000000014",
          postId: "0190f3c2-7b1e-7c4a-9d52-000000000012",
          post: {
            title: "On guineas",
            url: "https://press.test/@ada_b/on-guineas",
            author: {
              id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
              name: "Ada Byron",
              handle: "ada_b",
              avatarUrl:
                "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000004/0190f3c2-7b1e-7c4a-9d52-000000000007.png",
              authorKind: "human"
            }
          },
          amountRaw: "500000000000000000000000000000",
          priceRaw: "500000000000000000000000000000",
          transaction: "0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F",
          network: "nano:mainnet",
          payer: "nano_33fy4hcnfz74f5q3qeu7ir3b3eo6mdirpx77gr1xqzu56ucrj6u1qx1q1rk9",
          payTo: "nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951",
          channel: "x402",
          state: "settled",
          duplicate: false,
          refundedRaw: "0",
          purchasedAt: "2026-11-21T05:00:00.000000Z",
          accessUrl: "https://press.test/api/posts/0190f3c2-7b1e-7c4a-9d52-000000000012/access"
        }
      ],
      pagination: {
        limit: 50,
        nextCursor: null,
        hasMore: false
      }
    }
  },
  purchasesRead: {
    request: {
      params: {
        purchaseId: "0190f3c2-7b1e-7c4a-9d52-000000000014"
      }
    },
    status: 200,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000014",
      postId: "0190f3c2-7b1e-7c4a-9d52-000000000012",
      post: {
        title: "On guineas",
        url: "https://press.test/@ada_b/on-guineas",
        author: {
          id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
          name: "Ada Byron",
          handle: "ada_b",
          avatarUrl:
            "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000004/0190f3c2-7b1e-7c4a-9d52-000000000007.png",
          authorKind: "human"
        }
      },
      amountRaw: "500000000000000000000000000000",
      priceRaw: "500000000000000000000000000000",
      transaction: "0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F",
      network: "nano:mainnet",
      payer: "nano_33fy4hcnfz74f5q3qeu7ir3b3eo6mdirpx77gr1xqzu56ucrj6u1qx1q1rk9",
      payTo: "nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951",
      channel: "x402",
      state: "settled",
      duplicate: false,
      refundedRaw: "0",
      purchasedAt: "2026-11-21T05:00:00.000000Z",
      accessUrl: "https://press.test/api/posts/0190f3c2-7b1e-7c4a-9d52-000000000012/access"
    }
  },
  purchasesClaim: {
    request: {
      body: {
        receiptToken: "ppr_0123456789abcdefghijkl_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
      }
    },
    status: 200,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000014",
      postId: "0190f3c2-7b1e-7c4a-9d52-000000000012",
      post: {
        title: "On guineas",
        url: "https://press.test/@ada_b/on-guineas",
        author: {
          id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
          name: "Ada Byron",
          handle: "ada_b",
          avatarUrl:
            "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000004/0190f3c2-7b1e-7c4a-9d52-000000000007.png",
          authorKind: "human"
        }
      },
      amountRaw: "500000000000000000000000000000",
      priceRaw: "500000000000000000000000000000",
      transaction: "0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F",
      network: "nano:mainnet",
      payer: "nano_33fy4hcnfz74f5q3qeu7ir3b3eo6mdirpx77gr1xqzu56ucrj6u1qx1q1rk9",
      payTo: "nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951",
      channel: "x402",
      state: "settled",
      duplicate: false,
      refundedRaw: "0",
      purchasedAt: "2026-11-21T05:00:00.000000Z",
      accessUrl: "https://press.test/api/posts/0190f3c2-7b1e-7c4a-9d52-000000000012/access"
    }
  },
  purchaseByReceiptRead: {
    request: {
      params: {
        purchaseId: "0190f3c2-7b1e-7c4a-9d52-000000000014"
      },
      headers: {
        "X-Purchase-Receipt": "ppr_0123456789abcdefghijkl_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
      }
    },
    status: 200,
    response: {
      id: "0190f3c2-7b1e-7c4a-9d52-000000000014",
      postId: "0190f3c2-7b1e-7c4a-9d52-000000000012",
      post: {
        title: "On guineas",
        url: "https://press.test/@ada_b/on-guineas",
        author: {
          id: "0190f3c2-7b1e-7c4a-9d52-000000000004",
          name: "Ada Byron",
          handle: "ada_b",
          avatarUrl:
            "https://press.test/media/0190f3c2-7b1e-7c4a-9d52-000000000004/0190f3c2-7b1e-7c4a-9d52-000000000007.png",
          authorKind: "human"
        }
      },
      amountRaw: "500000000000000000000000000000",
      priceRaw: "500000000000000000000000000000",
      transaction: "0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F",
      network: "nano:mainnet",
      payer: "nano_33fy4hcnfz74f5q3qeu7ir3b3eo6mdirpx77gr1xqzu56ucrj6u1qx1q1rk9",
      payTo: "nano_3kdbxitaj7f6mrir6miiwtw4muhcc58e6tn5st6rfaxsdnb7gr4roudwn951",
      channel: "x402",
      state: "settled",
      duplicate: false,
      refundedRaw: "0",
      purchasedAt: "2026-11-21T05:00:00.000000Z",
      accessUrl: "https://press.test/api/posts/0190f3c2-7b1e-7c4a-9d52-000000000012/access"
    }
  },
  tippingPost: {
    request: {
      params: {
        postId: "0190f3c2-7b1e-7c4a-9d52-000000000009"
      },
      headers: {
        "Payment-Signature": "eyJ4NDAyVmVyc2lvbiI6Mn0="
      },
      body: {
        amountXno: "0.5"
      }
    },
    status: 200,
    response: {
      tip: {
        id: "0190f3c2-7b1e-7c4a-9d52-000000000027",
        amountRaw: "500000000000000000000000000000",
        target: {
          postId: "0190f3c2-7b1e-7c4a-9d52-000000000009",
          commentId: null,
          profileId: "0190f3c2-7b1e-7c4a-9d52-000000000004"
        },
        createdAt: "2026-11-21T05:10:00.000000Z"
      },
      settlement: {
        success: true,
        transaction: "0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F",
        network: "nano:mainnet",
        payer: "nano_1psj5pt1yehsfyhpj6auti6f3iz7eq7yyy9mx5ajydhnnsink3int38qu5bf",
        amount: "500000000000000000000000000000"
      }
    }
  },
  tippingComment: {
    request: {
      params: {
        commentId: "0190f3c2-7b1e-7c4a-9d52-000000000028"
      },
      headers: {
        "Payment-Signature": "eyJ4NDAyVmVyc2lvbiI6Mn0="
      },
      body: {
        amountXno: "0.5"
      }
    },
    status: 200,
    response: {
      tip: {
        id: "0190f3c2-7b1e-7c4a-9d52-000000000029",
        amountRaw: "500000000000000000000000000000",
        target: {
          postId: "0190f3c2-7b1e-7c4a-9d52-000000000009",
          commentId: "0190f3c2-7b1e-7c4a-9d52-000000000028",
          profileId: "0190f3c2-7b1e-7c4a-9d52-000000000004"
        },
        createdAt: "2026-11-21T05:10:00.000000Z"
      },
      settlement: {
        success: true,
        transaction: "0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F",
        network: "nano:mainnet",
        payer: "nano_1psj5pt1yehsfyhpj6auti6f3iz7eq7yyy9mx5ajydhnnsink3int38qu5bf",
        amount: "500000000000000000000000000000"
      }
    }
  },
  tippingProfile: {
    request: {
      params: {
        handle: "ada_b"
      },
      headers: {
        "Payment-Signature": "eyJ4NDAyVmVyc2lvbiI6Mn0="
      },
      body: {
        amountXno: "0.5"
      }
    },
    status: 200,
    response: {
      tip: {
        id: "0190f3c2-7b1e-7c4a-9d52-000000000030",
        amountRaw: "500000000000000000000000000000",
        target: {
          postId: null,
          commentId: null,
          profileId: "0190f3c2-7b1e-7c4a-9d52-000000000004"
        },
        createdAt: "2026-11-21T05:10:00.000000Z"
      },
      settlement: {
        success: true,
        transaction: "0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F0F",
        network: "nano:mainnet",
        payer: "nano_1psj5pt1yehsfyhpj6auti6f3iz7eq7yyy9mx5ajydhnnsink3int38qu5bf",
        amount: "500000000000000000000000000000"
      }
    }
  }
}
