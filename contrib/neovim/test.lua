-- What `contrib/neovim/test` lets Neovim do; the first file is open already.
local function say(text) io.stdout:write(text, "\n") end

local function fail(text)
  say("FAILED: " .. text)
  vim.cmd("cquit 1")
end

local function wait_for(what, condition)
  if not vim.wait(60000, condition, 50) then fail("waited in vain for " .. what) end
end

vim.schedule(function()
  wait_for("a diagnostic", function() return #vim.diagnostic.get(0) > 0 end)
  for _, found in ipairs(vim.diagnostic.get(0)) do
    say(("bug.c:%d:%d: %s"):format(found.lnum + 1, found.col + 1, found.message))
    local related = vim.tbl_get(found, "user_data", "lsp", "relatedInformation") or {}
    for _, step in ipairs(related) do
      say(("  line %d: %s"):format(step.location.range.start.line + 1, step.message))
    end
    if found.lnum ~= 6 then fail("the bug is in line 7") end
  end

  vim.cmd("edit proof.c")
  local answer
  wait_for("what is known of the loop", function()
    local place = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = 5, character = 11 } }
    -- As long as the server starts, there is none to ask.
    local clients = vim.tbl_filter(function(client) return client.initialized end, vim.lsp.buf_get_clients(0))
    if vim.tbl_isempty(clients) then return false end
    for _, one in pairs(vim.lsp.buf_request_sync(0, "textDocument/hover", place, 5000) or {}) do
      answer = one.result or answer
    end
    return answer ~= nil
  end)
  local lines = vim.lsp.util.convert_input_to_markdown_lines(answer.contents)
  say("hovering over line 6 of proof.c: " .. table.concat(lines, "\n  "))
  if #vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }) > 0 then fail("proof.c has no bug") end
  vim.cmd("qall!")
end)
