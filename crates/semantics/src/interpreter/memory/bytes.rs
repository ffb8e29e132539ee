//! The bytes of objects: reading, writing, copying, filling and forgetting them.

use super::Memory;
use crate::choices::Draws;
use crate::interpreter::object::{Contents, Fault, Kind};
use crate::interpreter::value::{Origin, Value};

impl Memory {
    /// Like `locate`, for an access to `size` bytes.
    fn access(&self, pointer: Value, size: u64) -> Result<(usize, u64), Fault> {
        let (index, offset) = self.locate(pointer)?;
        let object = &self.objects[index];
        if offset.checked_add(size).is_none_or(|end| end > object.size) {
            return Err(Fault::OutOfBounds);
        }
        Ok((index, offset))
    }

    /// Reads up to 8 bytes if that needs no draw; the common case.
    #[inline(always)]
    pub fn load_fast(&self, pointer: Value, offset: i32, bytes: u64) -> Option<Value> {
        let index = (pointer.origin.0 as u32).wrapping_sub(1) as usize;
        let object = self.objects.get(index)?;
        let at = pointer.bits.wrapping_add(offset as i64 as u64).wrapping_sub(object.base);
        let live = object.generation == (pointer.origin.0 >> 32) as u32;
        if !live || at >= object.data.len() as u64 || !object.undefined.is_empty() && !object.is_defined(at, bytes) {
            return None;
        }
        let at = at as usize;
        let bits = match bytes {
            1 => u64::from(object.data[at]),
            2 => u64::from(u16::from_le_bytes(object.data.get(at..at + 2)?.try_into().ok()?)),
            4 => u64::from(u32::from_le_bytes(object.data.get(at..at + 4)?.try_into().ok()?)),
            8 => u64::from_le_bytes(object.data.get(at..at + 8)?.try_into().ok()?),
            _ => return None,
        };
        let origin = if object.origins.is_empty() || bytes != self.pointer_bytes {
            Origin::NONE
        } else {
            object.origin_at(at as u64, self.pointer_bytes)
        };
        Some(Value { bits, origin })
    }

    /// Writes up to 8 bytes if that is simple; the common case. Says whether it was.
    #[inline(always)]
    pub fn store_fast(&mut self, pointer: Value, offset: i32, bytes: u64, value: Value) -> bool {
        let index = (pointer.origin.0 as u32).wrapping_sub(1) as usize;
        let pointer_bytes = self.pointer_bytes;
        let Some(object) = self.objects.get_mut(index) else { return false };
        let at = pointer.bits.wrapping_add(offset as i64 as u64).wrapping_sub(object.base);
        let live = object.generation == (pointer.origin.0 >> 32) as u32;
        let len = object.data.len() as u64;
        if !live || at >= len || len - at < bytes || object.kind == Kind::Constant {
            return false;
        }
        if !object.undefined.is_empty() {
            object.define(at, bytes);
        }
        if value.origin != Origin::NONE || !object.origins.is_empty() {
            object.set_origin(at, bytes, value.origin, pointer_bytes);
        }
        let start = at as usize;
        match bytes {
            1 => object.data[start] = value.bits as u8,
            2 => object.data[start..start + 2].copy_from_slice(&(value.bits as u16).to_le_bytes()),
            4 => object.data[start..start + 4].copy_from_slice(&(value.bits as u32).to_le_bytes()),
            8 => object.data[start..start + 8].copy_from_slice(&value.bits.to_le_bytes()),
            _ => {
                let all = value.bits.to_le_bytes();
                object.data[start..start + bytes as usize].copy_from_slice(&all[..bytes as usize]);
            }
        }
        true
    }

    /// Reads up to 16 bytes; undefined ones are drawn. The origin counts for pointers only.
    pub fn load(&mut self, pointer: Value, bytes: u64, draws: &mut Draws<'_>) -> Result<(u128, Origin), Fault> {
        assert!((1..=16).contains(&bytes), "{bytes} bytes are not a scalar");
        let (index, offset) = self.access(pointer, bytes)?;
        let pointer_bytes = self.pointer_bytes;
        let object = &mut self.objects[index];
        object.reach(offset + bytes)?;
        object.draw(offset, bytes, draws);
        let mut all = [0; 16];
        all[..bytes as usize].copy_from_slice(&object.data[offset as usize..(offset + bytes) as usize]);
        let origin = if bytes == pointer_bytes { object.origin_at(offset, pointer_bytes) } else { Origin::NONE };
        Ok((u128::from_le_bytes(all), origin))
    }

    /// Reads a pointer. If all its bytes are undefined and come from outside, it is null or points outside.
    pub fn load_pointer(&mut self, pointer: Value, draws: &mut Draws<'_>) -> Result<Value, Fault> {
        let bytes = self.pointer_bytes;
        let (index, offset) = self.access(pointer, bytes)?;
        let object = &mut self.objects[index];
        object.reach(offset + bytes)?;
        let outside = matches!(object.contents, Contents::Outside | Contents::Unmodelled(_))
            && !object.undefined.is_empty()
            && (offset..offset + bytes).all(|at| !object.is_defined(at, 1));
        let (bits, origin) = self.load(pointer, bytes, draws)?;
        let mut value = Value { bits: bits as u64, origin };
        if outside && value.bits != 0 {
            value = self.foreign_aside(value.bits, draws)?;
            self.store(pointer, bytes, u128::from(value.bits), value.origin)?;
        }
        Ok(value)
    }

    /// Writes up to 16 bytes.
    pub fn store(&mut self, pointer: Value, bytes: u64, bits: u128, origin: Origin) -> Result<(), Fault> {
        assert!((1..=16).contains(&bytes), "{bytes} bytes are not a scalar");
        let (index, offset) = self.access(pointer, bytes)?;
        let pointer_bytes = self.pointer_bytes;
        let object = &mut self.objects[index];
        if object.kind == Kind::Constant && self.protects {
            return Err(Fault::ReadOnly);
        }
        object.write(offset, &bits.to_le_bytes()[..bytes as usize])?;
        object.set_origin(offset, bytes, origin, pointer_bytes);
        Ok(())
    }

    /// Sets the bytes of a global or literal before the program runs.
    pub fn initialise(
        &mut self,
        pointer: Value,
        offset: u64,
        bytes: u64,
        bits: u128,
        origin: Origin,
    ) -> Result<(), Fault> {
        assert!((1..=16).contains(&bytes), "{bytes} bytes are not a scalar");
        let (index, _) = self.access(pointer, offset + bytes)?;
        let pointer_bytes = self.pointer_bytes;
        let object = &mut self.objects[index];
        object.write(offset, &bits.to_le_bytes()[..bytes as usize])?;
        if origin != Origin::NONE {
            object.set_origin(offset, bytes, origin, pointer_bytes);
        }
        Ok(())
    }

    /// How many bytes from a pointer on were written, up to the first that was not, at most `limit`.
    pub fn written(&self, pointer: Value, limit: u64) -> u64 {
        let Ok((index, offset)) = self.locate(pointer) else { return limit };
        let object = &self.objects[index];
        let room = object.size.saturating_sub(offset).min(limit);
        (0..room).find(|at| !object.is_written(offset + at)).unwrap_or(limit)
    }

    /// Copies bytes, undefined ones after drawing them, with the origins of the pointers among them.
    pub fn copy(&mut self, to: Value, from: Value, size: u64, draws: &mut Draws<'_>) -> Result<(), Fault> {
        if size == 0 {
            return Ok(());
        }
        let (source, from) = self.access(from, size)?;
        let (target, to) = self.access(to, size)?;
        if self.objects[target].kind == Kind::Constant && self.protects {
            return Err(Fault::ReadOnly);
        }
        let word = self.pointer_bytes;
        let object = &mut self.objects[source];
        object.reach(from + size)?;
        let unwritten: Vec<u64> = match self.keeps_unwritten {
            true => (0..size).filter(|at| !object.is_written(from + at)).collect(),
            false => Vec::new(),
        };
        object.draw(from, size, draws);
        let mut bytes = std::mem::take(&mut self.scratch);
        bytes.clear();
        bytes.extend_from_slice(&object.data[from as usize..(from + size) as usize]);
        let origins: Vec<(u64, Origin)> = if object.origins.is_empty() || (to.wrapping_sub(from)) % word != 0 {
            Vec::new()
        } else {
            let slots = from.div_ceil(word)..(from + size) / word;
            slots.map(|slot| (slot * word - from, object.origins[slot as usize])).collect()
        };
        let object = &mut self.objects[target];
        object.write(to, &bytes)?;
        object.set_origin(to, size, Origin::NONE, word);
        for (at, origin) in origins {
            if origin != Origin::NONE {
                object.set_origin(to + at, word, origin, word);
            }
        }
        unwritten.into_iter().for_each(|at| object.mark_unwritten(to + at));
        self.scratch = bytes;
        Ok(())
    }

    /// Sets bytes.
    pub fn fill(&mut self, to: Value, byte: u8, size: u64) -> Result<(), Fault> {
        if size == 0 {
            return Ok(());
        }
        let (index, offset) = self.access(to, size)?;
        let word = self.pointer_bytes;
        let object = &mut self.objects[index];
        if object.kind == Kind::Constant && self.protects {
            return Err(Fault::ReadOnly);
        }
        object.reach(offset + size)?;
        object.data[offset as usize..(offset + size) as usize].fill(byte);
        object.define(offset, size);
        object.set_origin(offset, size, Origin::NONE, word);
        Ok(())
    }

    /// Makes `size` bytes, or the whole object, undefined.
    pub fn forget(
        &mut self,
        to: Value,
        size: Option<u64>,
        contents: Contents,
        draws: &mut Draws<'_>,
    ) -> Result<(), Fault> {
        let (index, offset) = self.access(to, size.unwrap_or(0))?;
        let birth = self.next_birth();
        let word = self.pointer_bytes;
        let object = &mut self.objects[index];
        if object.kind == Kind::Constant && self.protects {
            return Err(Fault::ReadOnly);
        }
        match size {
            Some(size) if size < object.size => {
                object.reach(offset + size)?;
                if let Contents::Unmodelled(edge) = contents {
                    draws.unmodelled.get_or_insert(edge);
                }
                for at in offset..offset + size {
                    object.data[at as usize] = draws.byte(birth, at, object.base + at);
                }
                object.define(offset, size);
                object.set_origin(offset, size, Origin::NONE, word);
            }
            Some(_) | None => {
                (object.birth, object.contents) = (birth, contents);
                object.forget();
            }
        }
        Ok(())
    }

    /// The bytes of a C string without its end, at most `limit` of them.
    pub fn string_up_to(&mut self, pointer: Value, limit: u64, draws: &mut Draws<'_>) -> Result<Vec<u8>, Fault> {
        let mut text = Vec::new();
        let mut at = pointer;
        while (text.len() as u64) < limit {
            let byte = self.load(at, 1, draws)?.0 as u8;
            if byte == 0 {
                break;
            }
            text.push(byte);
            at.bits += 1;
        }
        Ok(text)
    }

    /// Writes bytes.
    pub fn write(&mut self, to: Value, bytes: &[u8]) -> Result<(), Fault> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (index, offset) = self.access(to, bytes.len() as u64)?;
        let word = self.pointer_bytes;
        let object = &mut self.objects[index];
        if object.kind == Kind::Constant && self.protects {
            return Err(Fault::ReadOnly);
        }
        object.write(offset, bytes)?;
        object.set_origin(offset, bytes.len() as u64, Origin::NONE, word);
        Ok(())
    }
}
