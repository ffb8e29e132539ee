-- Argonaut in Neovim (0.7 or later): C files are verified when they are opened and saved. Put this file into
-- ~/.config/nvim/plugin/, or try it with `nvim -u contrib/neovim/argonaut.lua file.c`. `K` shows what is known about the
-- place under the cursor. The command is `argonaut`, or what the variable ARGONAUT names.
local command = { os.getenv("ARGONAUT") or "argonaut", "lsp" }

vim.api.nvim_create_autocmd("FileType", {
  pattern = "c",
  callback = function(event)
    local file = vim.fn.fnamemodify(event.file, ":p")
    local settings = { name = "argonaut", cmd = command, root_dir = vim.fn.fnamemodify(file, ":h") }
    if vim.lsp.start then
      vim.lsp.start(settings)
    else
      vim.lsp.buf_attach_client(event.buf, vim.lsp.start_client(settings))
    end
    vim.keymap.set("n", "K", vim.lsp.buf.hover, { buffer = event.buf })
    vim.keymap.set("n", "ga", vim.lsp.buf.code_action, { buffer = event.buf })
  end,
})
vim.cmd("filetype on")
