// SPDX-License-Identifier: BSD-3-Clause
#include "report/html.h"

namespace pcl_attention::html {

std::string style() {
  return R"css(<style>
:root{color-scheme:light dark;--page:#fff;--card:#f6f7f9;--ink:#1b2430;--soft:#556070;--rule:#d5dae1;
--m0:#2563b0;--m1:#c2410c;--m2:#0f766e;--m3:#7c3aed;--m4:#8a6100;--m5:#be185d;
--e0:#c4ccd6;--e1:#efcf6a;--e2:#f0a63c;--e3:#e97f2b;--e4:#d9541e;--e5:#b8301c;--e6:#841a1c;--e7:#460c15}
@media (prefers-color-scheme:dark){:root{--page:#12161c;--card:#1b2129;--ink:#e7ebf0;--soft:#a3adba;
--rule:#36404c;--m0:#7ab0f5;--m1:#fb923c;--m2:#4fd1c0;--m3:#b79cf9;--m4:#e0b84b;--m5:#f472b6;
--e0:#3d4754;--e1:#5b3a24;--e2:#82421f;--e3:#ab501d;--e4:#d4661d;--e5:#ef8b34;--e6:#f8b85c;--e7:#fee9a8}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1120px;padding:20px 16px 48px;background:var(--page);color:var(--ink);
font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.6rem;line-height:1.2;margin:0 0 4px;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:36px 0 6px}
h3{font-size:.95rem;margin:0 0 6px}p{margin:4px 0 12px;max-width:75ch}.soft{color:var(--soft);font-size:.875rem}
.cards{display:grid;gap:14px;grid-template-columns:repeat(auto-fit,minmax(min(100%,320px),1fr))}
.pair{display:grid;gap:0 28px;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr))}
.pair section{min-width:0;max-width:560px}
.card{background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:12px;min-width:0}
.wide{overflow-x:auto;border:1px solid var(--rule);border-radius:8px;margin:8px 0 16px}
table{border-collapse:collapse;width:100%;font-size:.875rem;font-variant-numeric:tabular-nums}
th,td{padding:5px 10px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--rule)}
tr:last-child td,tr:last-child th{border-bottom:0}thead th{color:var(--soft);font-weight:600}
th{white-space:normal;vertical-align:bottom}[data-from]{white-space:nowrap}
th:first-child,td:first-child{text-align:left;position:sticky;left:0;background:var(--page)}
@media (max-width:600px){table{font-size:.8rem}th,td{padding:5px 6px}
td:first-child{white-space:normal;min-width:96px}}
dl{display:grid;grid-template-columns:auto 1fr;gap:2px 12px;margin:0;font-size:.875rem}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
pre{background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:12px;white-space:pre-wrap;
overflow-wrap:anywhere;font-size:.875rem}
.level{border-left:5px solid var(--c);padding:2px 0 2px 12px;margin:10px 0}
.key{display:inline-block;width:14px;height:4px;background:var(--c);margin-right:6px;vertical-align:middle}
.dashed{background:none;height:0;border-top:2px dashed var(--soft)}.dashed.short{border-top-style:dotted}
.keys{display:flex;flex-wrap:wrap;gap:2px 16px;font-size:.875rem}
.cell{display:inline-block;width:12px;height:12px;margin-right:5px;vertical-align:-1px}
summary{cursor:pointer;margin:8px 0;font-size:.95rem}details[open]{margin-bottom:14px}
svg{display:block;width:100%;max-width:560px;height:auto}
text{font:11px system-ui,sans-serif;fill:var(--ink)}text.soft{fill:var(--soft);font-size:11px}
line.rule{stroke:var(--rule)}line.axis{stroke:var(--soft)}
.bar{fill:var(--c)}.dot{fill:var(--c);stroke:var(--card);stroke-width:1}
.curve{fill:none;stroke:var(--c);stroke-width:2}.floor{stroke:var(--c);stroke-dasharray:2 3;stroke-width:1.5}
.smooth{fill:none;stroke:var(--soft);stroke-width:2}.smooth.long{stroke-dasharray:8 4}.smooth.short{stroke-dasharray:2 4}
.smoothdot{fill:var(--soft)}
.m0{--c:var(--m0)}.m1{--c:var(--m1)}.m2{--c:var(--m2)}.m3{--c:var(--m3)}.m4{--c:var(--m4)}.m5{--c:var(--m5)}
.e0{fill:var(--e0);background:var(--e0)}.e1{fill:var(--e1);background:var(--e1)}
.e2{fill:var(--e2);background:var(--e2)}.e3{fill:var(--e3);background:var(--e3)}
.e4{fill:var(--e4);background:var(--e4)}.e5{fill:var(--e5);background:var(--e5)}
.e6{fill:var(--e6);background:var(--e6)}.e7{fill:var(--e7);background:var(--e7)}
</style>
)css";
}

}  // namespace pcl_attention::html
