// Forgetting rows, with a while to take it back.
import { t } from "../i18n/index.js";
import { api } from "../net/api.js";
import { toast } from "../ui/say.js";
import { isPending, later } from "./pending.js";

export function forget(ids) {
  const wanted = ids.filter((id) => !isPending(id));
  if (!wanted.length) return;
  const what = wanted.length === 1 ? wanted[0] : t("forget.rows", { n: wanted.length });
  later({
    ids: wanted,
    say: t("forget.soon", { what }),
    commit: (options) => api.post("/api/forget", { ids: wanted }, options),
    done: () => toast(t("forget.done", { what })),
    failed: (why) => toast(t("forget.failed", { what, why })),
  });
}
